package localcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
)

// Kinds of a [Member].
const (
	Master = "master"
	Syndic = "syndic"
	Minion = "minion"
)

// Member is a daemon of the tree.
type Member struct {
	ID      string
	Kind    string
	Dir     string // directory for all files of this daemon
	ConfDir string // for -c
	// Path is the ids of the nodes from the top down to the member's master, joined by "/"; ""
	// for the top.
	Path                 string
	PublishPort, RetPort int // of a node
}

// Cluster is a tree on disk. Members are in an order in which they can be started: parents
// before children.
type Cluster struct {
	Dir     string
	Members []Member
}

// Plant writes the tree to dir, which must not contain one yet.
func Plant(dir string, top Spec) (*Cluster, error) {
	g := &Cluster{Dir: dir}
	if err := g.node(top, nil, ""); err != nil {
		return nil, fmt.Errorf("plant a tree in %s: %w", dir, err)
	}
	if err := g.keys(); err != nil {
		return nil, fmt.Errorf("plant a tree in %s: %w", dir, err)
	}
	return g, nil
}

// Top returns the master of masters.
func (g *Cluster) Top() Member { return g.Members[0] }

// Find returns a member by its id.
func (g *Cluster) Find(id string) (Member, bool) {
	for _, m := range g.Members {
		if m.ID == id {
			return m, true
		}
	}
	return Member{}, false
}

func (g *Cluster) node(s Spec, parent *Member, path string) error {
	m := Member{ID: s.ID, Kind: Master, Path: path, Dir: filepath.Join(g.Dir, s.ID)}
	m.ConfDir = filepath.Join(m.Dir, "conf")
	var err error
	if m.PublishPort, m.RetPort, err = freePorts(); err != nil {
		return err
	}
	name := s.ID
	if parent != nil {
		name += "_master" // as on a separate host, where the file master has no id
	}
	conf := fmt.Sprintf("id: %s\ninterface: 127.0.0.1\npublish_port: %d\nret_port: %d\nroot_dir: %s\nsock_dir: %s\n"+
		"pidfile: %s\nlog_file: %s\n", name, m.PublishPort, m.RetPort, m.Dir, filepath.Join(m.Dir, "run"),
		filepath.Join(m.Dir, "pid"), filepath.Join(m.Dir, "log"))
	if len(s.Nodes) > 0 {
		conf += "order_masters: True\n"
	}
	files := map[string]string{"master": conf}
	if parent != nil {
		m.Kind = Syndic
		files["master"] += fmt.Sprintf("syndic_master: 127.0.0.1\nsyndic_master_port: %d\nsyndic_log_file: %s\nsyndic_pidfile: %s\n",
			parent.RetPort, filepath.Join(m.Dir, "log"), filepath.Join(m.Dir, "pid"))
		files["minion"] = fmt.Sprintf("id: %s\nroot_dir: %s\nrecon_default: 100\nrecon_max: 1000\n", s.ID, m.Dir)
	}
	files["master"] += s.Master
	if err := write(m.ConfDir, files); err != nil {
		return err
	}
	g.Members = append(g.Members, m)
	below := s.ID
	if path != "" {
		below = path + "/" + s.ID
	}
	for _, id := range s.Minions {
		min := Member{ID: id, Kind: Minion, Path: below, Dir: filepath.Join(g.Dir, id)}
		min.ConfDir = filepath.Join(min.Dir, "conf")
		conf := fmt.Sprintf("id: %s\nmaster: 127.0.0.1\nmaster_port: %d\nroot_dir: %s\nsock_dir: %s\npidfile: %s\nlog_file: %s\n"+
			"acceptance_wait_time: 1\nrecon_default: 100\nrecon_max: 1000\n",
			id, m.RetPort, min.Dir, filepath.Join(min.Dir, "run"), filepath.Join(min.Dir, "pid"), filepath.Join(min.Dir, "log"))
		if err := write(min.ConfDir, map[string]string{"minion": conf + s.Minion}); err != nil {
			return err
		}
		g.Members = append(g.Members, min)
	}
	for _, c := range s.Nodes {
		if err := g.node(c, &m, below); err != nil {
			return err
		}
	}
	return nil
}

func write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// keys makes the key pair of every syndic and minion and copies the public key to the accepted
// keys of its master. That is safe without trust on first use or a person, because this process
// owns both ends.
func (g *Cluster) keys() error {
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	errs := make([]error, len(g.Members))
	for i, m := range g.Members {
		if m.Path == "" {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = g.accept(m)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

const (
	minionPki = "etc/salt/pki/minion"
	masterPki = "etc/salt/pki/master"
)

func (g *Cluster) accept(m Member) error {
	dir := filepath.Join(m.Dir, minionPki)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	pair, err := crypt.EnsureKeyPair(dir, "minion", 2048)
	if err != nil {
		return err
	}
	nodes := strings.Split(m.Path, "/")
	parent, _ := g.Find(nodes[len(nodes)-1])
	accepted := filepath.Join(parent.Dir, masterPki, "minions")
	if err := os.MkdirAll(accepted, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(accepted, m.ID), []byte(pair.PublicPEM), 0o644); err != nil {
		return err
	}
	if m.Kind == Minion {
		return nil
	}
	_, err = admitted.Admit(filepath.Join(parent.Dir, masterPki), m.ID)
	return err
}
