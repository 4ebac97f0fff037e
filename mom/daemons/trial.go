package daemons

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/minion"
	"github.com/momtree/mom/mom/saltcall"
	"github.com/momtree/mom/returners/mysql"
)

// trialHost is where a trial listens, on ports that the system chooses.
const trialHost = "127.0.0.1"

// TryMaster constructs the master of conf, and the forwarder of a node if node is set, as
// the daemon does, and releases them again. The error is the one by which the daemon
// refuses to start. It works on a copy of conf with temporary folders and free ports of
// the loopback, sends nothing, and leaves conf and its folders as they are. What depends on
// the moment, such as a port that another program has, it does not see. log gets what the
// daemon logs meanwhile.
func TryMaster(conf *config.Master, node *config.Syndic, log *slog.Logger) error {
	return inTrial(conf, func(copied *config.Master) error {
		if node == nil {
			m, err := master.New(master.Options{Config: copied, Version: "trial", Log: log})
			if err != nil {
				return err
			}
			return m.Close()
		}
		tried := *node
		upper := *node.Upper
		upper.PkiDir, upper.Cachedir, upper.SockDir = copied.PkiDir, copied.Cachedir, copied.SockDir
		tried.Local, tried.Upper = copied, &upper
		n, err := newNode(&tried, "trial", log, nil)
		if err != nil {
			return err
		}
		return n.close()
	})
}

// TryAPI does for the REST API of conf what [TryMaster] does for its master. A database of
// results is not connected to.
func TryAPI(dir string, conf *config.Master) error {
	return inTrial(conf, func(copied *config.Master) error {
		if copied.ApiResults != "" {
			if copied.ApiUpstream == "" {
				if _, err := mysql.OptionsFrom(copied.Raw, ""); err != nil {
					return fmt.Errorf("api_results: %w", err)
				}
			}
			copied.ApiResults = ""
		}
		o := apiOptions{conf: copied, version: "trial", log: slog.New(slog.DiscardHandler), trial: true}
		open := func() (*apiDaemon, error) { return localAPI(dir, o) }
		if copied.ApiUpstream != "" {
			open = func() (*apiDaemon, error) { return gateway(o) }
		}
		a, err := open()
		if err != nil {
			return err
		}
		return a.close()
	})
}

// TryMinion does for a minion what [TryMaster] does for a master.
func TryMinion(conf *config.Minion) error {
	dir, err := trialFolder(conf.PkiDir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	copied := *conf
	copied.PkiDir, copied.Cachedir, copied.SockDir = filepath.Join(dir, "pki"), filepath.Join(dir, "cache"), filepath.Join(dir, "s")
	log := slog.New(slog.DiscardHandler)
	o := minion.Options{Config: &copied, Version: "trial", Log: log}
	if copied.Masterless() {
		own, err := saltcall.NewPillars(&copied, log)
		if err != nil {
			return inPlace(err, dir, conf.PkiDir)
		}
		o.Pillars = own
	}
	m, err := minion.New(o)
	if err != nil {
		return inPlace(err, dir, conf.PkiDir)
	}
	return m.Close()
}

// inTrial gives f a copy of conf that writes to temporary folders only.
func inTrial(conf *config.Master, f func(*config.Master) error) error {
	dir, err := trialFolder(conf.PkiDir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := *conf
	c.Raw = maps.Clone(conf.Raw)
	c.PkiDir, c.Cachedir, c.SockDir = filepath.Join(dir, "pki"), filepath.Join(dir, "cache"), filepath.Join(dir, "s")
	c.JobStoreFile, c.TokenDir, c.SyndicDir = filepath.Join(dir, "jobs.db"), filepath.Join(dir, "tokens"), filepath.Join(dir, "syndics")
	c.Interface, c.PublishPort, c.RetPort, c.TcpMasterPubPort, c.TcpMasterPullPort = trialHost, 0, 0, 0, 0
	c.IpcMode = "ipc"
	for _, addr := range []*string{&c.MetricsListen, &c.ApiMetricsListen} {
		*addr = trialAddress(*addr)
	}
	return inPlace(f(&c), dir, conf.PkiDir)
}

// trialAddress is a free port for an address that can be read, and addr itself for others.
func trialAddress(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return addr
	}
	return net.JoinHostPort(trialHost, "0")
}

// trialFolder makes a temporary folder with the key files of pki, as far as they can be read.
func trialFolder(pki string) (string, error) {
	dir, err := os.MkdirTemp("", "mom-try")
	if err != nil {
		return "", err
	}
	if err := copyKeys(pki, filepath.Join(dir, "pki")); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// copyKeys copies the files directly in from. A file that this user may not read is left out.
func copyKeys(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, f.Name()))
		if errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// inPlace names the real key folder where an error names the copied one.
func inPlace(err error, dir, pki string) error {
	if err == nil || !strings.Contains(err.Error(), dir) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), filepath.Join(dir, "pki"), pki))
}
