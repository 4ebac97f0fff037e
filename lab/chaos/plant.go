//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/crypt"
)

// plant makes the folders and configuration of a member.
func (w *World) plant(m *member) error {
	for _, d := range []string{"conf", "var/cache", "run"} {
		if err := os.MkdirAll(filepath.Join(m.dir, d), 0o700); err != nil {
			return err
		}
	}
	if w.o.Namespaces && m.kind != kindMinion {
		if err := unix.Mount("chaos", m.disk(), "tmpfs", 0, diskSize); err != nil {
			return fmt.Errorf("a disk for %s: %w", m.id, err)
		}
	}
	if err := m.setClock(0); err != nil {
		return err
	}
	common := fmt.Sprintf("id: %s\nroot_dir: %s\nsock_dir: %s\npidfile: %s\nlog_file: %s\n",
		m.id, m.dir, filepath.Join(m.dir, "run"), filepath.Join(m.dir, "pid"), filepath.Join(m.dir, "log"))
	var parents []string
	for _, p := range m.parents {
		parents = append(parents, w.addr(m.id, p))
	}
	files := map[string]string{}
	if m.kind == kindMinion {
		files["minion"] = common + "master: " + parents[0] + "\nacceptance_wait_time: 1\nrecon_default: 100\nrecon_max: 1000\n"
	} else {
		files["master"] = common + w.nodeOptions(m)
		if len(parents) > 0 {
			files["master"] += "syndic_master: [" + quoted(parents) + "]\nsyndic_log_file: " + filepath.Join(m.dir, "log") +
				"\nsyndic_pidfile: " + filepath.Join(m.dir, "pid") + "\n"
			files["minion"] = fmt.Sprintf("id: %s\nroot_dir: %s\nrecon_default: 100\nrecon_max: 1000\n", m.id, m.dir)
		}
	}
	for name, text := range files {
		if name == string(kindMinion) != (m.kind == kindMinion) {
			continue // what a node has for the masters above: its file master says it
		}
		more, err := w.bounds(m)
		if err != nil {
			return err
		}
		files[name] = text + more
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(m.dir, "conf", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) nodeOptions(m *member) string {
	s := fmt.Sprintf("interface: %s\npublish_port: %d\nret_port: %d\n", w.net.address(m.station, m.station), pubPort, retPort)
	// Behind proxies a parent does not see where minions of siblings find the node.
	s += "rehome_address: " + w.net.address(m.station, m.station) + "\n"
	// Dead connections are noticed within seconds, so that a round is short.
	s += "zmq_heartbeat_ivl: 2000\nzmq_heartbeat_timeout: 6000\n"
	if m.tier < 3 {
		s += "order_masters: True\n"
	}
	s += w.clusterOptions(m)
	if w.keeps(m.role) {
		s += w.sql.options(func(server int) string { return w.net.address(m.station, w.sql.stations[server]) })
	}
	return s
}

// bounds are what a member is given of small bounds: each its own, by the number of
// the world and its station.
func (w *World) bounds(m *member) (string, error) {
	if w.o.Bounds == 0 {
		return "", nil
	}
	d := bounds.Draw(w.o.Bounds<<8 + uint64(m.station))
	out := map[string]any{}
	for _, name := range bounds.DrawnOptions(m.kind == kindMinion) {
		if v, ok := d.Options[name]; ok {
			out[name] = v
		}
	}
	if small := d.Settings(); len(small) > 0 {
		out["bounds"] = small
	}
	w.note("%s has small bounds: %v %v", m.id, d.Bounds, d.Options)
	if len(out) == 0 {
		return "", nil
	}
	b, err := yaml.Marshal(out)
	return strings.ReplaceAll(string(b), "\"", ""), err
}

func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = "'" + t + "'"
	}
	return strings.Join(out, ", ")
}

// exchangeKeys makes the pair of every member with a parent and lays its public
// half into the accepted keys of each parent.
func (w *World) exchangeKeys() error {
	var wg sync.WaitGroup
	errs := make([]error, len(shape))
	for i, r := range shape {
		wg.Go(func() {
			if len(r.parents) == 0 {
				return
			}
			pair, err := crypt.EnsureKeyPair(filepath.Join(w.members[r.id].dir, "etc/salt/pki/minion"), "minion", 2048)
			if err != nil {
				errs[i] = err
				return
			}
			for _, p := range r.parents {
				pki := filepath.Join(w.members[p].dir, "etc/salt/pki/master")
				dir := filepath.Join(pki, "minions")
				errs[i] = errors.Join(errs[i], os.MkdirAll(dir, 0o700),
					os.WriteFile(filepath.Join(dir, r.id), []byte(pair.PublicPEM), 0o600))
				if w.members[r.id].kind != kindMinion {
					_, err := admitted.Admit(pki, r.id)
					errs[i] = errors.Join(errs[i], err)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), w.admitTops())
}
