package seed

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
)

// node is one folder of the configuration: a master, a minion or both.
type node struct {
	name      string
	masterPKI string   // key folder of its master; empty for a minion
	minionPKI string   // key folder of its minion or syndic; empty at the top
	pin       string   // file in minionPKI that holds the key of the master above; empty if there are several
	id        string   // minion or syndic id
	parents   []string // names of the nodes above
	topID     string   // id of its master, of a top
	tops      []peer   // the other tops of its cluster
	masterKey keySpec
	minionKey keySpec
}

// peer is an entry of cluster_peers.
type peer struct {
	host string
	port int
}

// keySpec says how a private key is made.
type keySpec struct {
	bits int
	pass string
}

// readNodes reads every folder of configDir. Key folders are placed under dataDir/<node>, in place of root_dir.
func readNodes(configDir, dataDir string) ([]*node, error) {
	entries, err := os.ReadDir(configDir)
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	var nodes []*node
	var faults []error
	for _, e := range entries {
		dir := filepath.Join(configDir, e.Name())
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		n, err := readNode(dir, filepath.Join(dataDir, e.Name()))
		if err != nil {
			faults = append(faults, fmt.Errorf("node %s: %w", e.Name(), err))
		} else if n != nil {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 && len(faults) == 0 {
		return nil, fmt.Errorf("read the tree: %s holds no folder with a file master or minion", configDir)
	}
	return nodes, errors.Join(faults...)
}

// readNode reads one folder; nil for a folder with neither a master nor a minion file.
func readNode(dir, data string) (*node, error) {
	n := &node{name: filepath.Base(dir)}
	isMaster, err := exists(filepath.Join(dir, "master"))
	if err != nil {
		return nil, err
	}
	isMinion, err := exists(filepath.Join(dir, "minion"))
	if err != nil {
		return nil, err
	}
	if isMaster {
		m, _, err := config.LoadMaster(dir)
		if err != nil {
			return nil, err
		}
		if n.masterPKI, err = rebase(m.PkiDir, m.RootDir, data); err != nil {
			return nil, err
		}
		n.masterKey = keySpec{m.Keysize, m.KeyPass}
		if n.topID = m.ID; len(m.ClusterPeers) > 0 && m.Place("id") == (config.Place{}) {
			return nil, errors.New("is a top of a cluster and needs the option id: its key is accepted under that name")
		}
		for _, addr := range m.ClusterPeers {
			host, port, err := channel.SplitMaster(addr, 4506)
			if err != nil {
				return nil, fmt.Errorf("cluster_peers: %w", err)
			}
			n.tops = append(n.tops, peer{host, port})
		}
		if m.Place("syndic_master") != (config.Place{}) {
			s, _, err := config.LoadSyndic(dir)
			if err != nil {
				return nil, err
			}
			return n, n.setUpper(s.Upper, "syndic_master.pub", data)
		}
	}
	if isMinion {
		m, _, err := config.LoadMinion(dir)
		if err != nil {
			return nil, err
		}
		return n, n.setUpper(m, "minion_master.pub", data)
	}
	if !isMaster {
		return nil, nil
	}
	return n, nil
}

// setUpper takes the side of the node that looks up.
func (n *node) setUpper(m *config.Minion, pin, data string) error {
	var err error
	n.id, n.pin = m.ID, pin
	n.minionKey = keySpec{bits: m.Keysize}
	if n.minionPKI, err = rebase(m.PkiDir, m.RootDir, data); err != nil {
		return err
	}
	for _, addr := range m.Master {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		n.parents = append(n.parents, host)
	}
	if len(n.parents) > 1 {
		if n.masterPKI == "" {
			return fmt.Errorf("has %d masters above it; keys of a minion can be seeded for one, accept the others with salt-key", len(n.parents))
		}
		n.pin = ""
	}
	return config.CheckID(n.id)
}

// pinOf returns the name of the file in minionPKI that holds the key of a master above.
func (n *node) pinOf(parent string) string {
	if n.pin != "" {
		return n.pin
	}
	return channel.PinOfParent(parent)
}

// rebase moves path from under root to under data.
func rebase(path, root, data string) (string, error) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("pki_dir %s lies outside root_dir %s, so it is on no volume seen here", path, root)
	}
	return filepath.Join(data, rel), nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
