package peers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Standalone is the kind of our forwarder beside a master of Salt's.
const Standalone = "standalone"

// Node is a daemon, or a master and the syndic beside it, in a folder of its own.
type Node struct {
	ID   string
	Dir  string
	Conf string // folder for -c
	Addr string // of masters
	Salt *Salt  // nil: ours
	// Kinds are the daemons in the order of their start: master, syndic, minion or
	// [Standalone]. A node of ours is one syndic, of Salt's a master and a syndic.
	Kinds  []string
	Events *Recorder // of masters

	program string
	mu      sync.Mutex
	procs   map[string]*Process
}

// NewNode makes the folders of a node below dir. The program is a built mom.
func NewNode(program, dir, id string, s *Salt) (*Node, error) {
	n := &Node{ID: id, Salt: s, Dir: filepath.Join(dir, id), program: program, procs: map[string]*Process{}}
	n.Conf = filepath.Join(n.Dir, "etc")
	for _, d := range []string{"etc", "log", "srv", "pillar"} {
		if err := os.MkdirAll(filepath.Join(n.Dir, d), 0o700); err != nil {
			return nil, fmt.Errorf("make the folders of %s: %w", id, err)
		}
	}
	return n, nil
}

// Start starts all daemons of the node; of masters it waits for the ports and the bus.
func (n *Node) Start(ctx context.Context) error {
	for _, kind := range n.Kinds {
		if err := n.StartOne(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// StartOne is Start for one kind.
func (n *Node) StartOne(ctx context.Context, kind string) error {
	args := []string{n.program, kind, "-c", n.Conf, "-l", "info"}
	switch {
	case kind == Standalone:
		args = []string{n.program, "syndic", "--standalone", "-c", n.Conf, "-l", "info"}
	case n.Salt != nil:
		args = []string{n.Salt.Bin("salt-" + kind), "-c", n.Conf, "-l", "warning"}
	}
	if err := n.StartAs(kind, args...); err != nil {
		return err
	}
	if kind == "master" || n.Salt == nil && kind == "syndic" {
		return n.awaitPorts(ctx)
	}
	return nil
}

// StartAs starts the daemon of that kind by a command line of the caller's, and waits for
// nothing.
func (n *Node) StartAs(kind string, args ...string) error {
	p, err := Launch(kind+" "+n.ID, filepath.Join(n.Dir, "log", kind+".console"), args...)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.procs[kind] = p
	n.mu.Unlock()
	return nil
}

func (n *Node) awaitPorts(ctx context.Context) error {
	return await(ctx, 3*time.Minute, "ports of "+n.ID, func() bool {
		for _, port := range []string{"4505", "4506"} {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(n.Addr, port), time.Second)
			if err != nil {
				return false
			}
			_ = c.Close() // only knocking
		}
		return n.Events.IsOpen()
	})
}

// take gives the daemons that run and forgets them.
func (n *Node) take() map[string]*Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.procs
	n.procs = map[string]*Process{}
	return all
}

// Stop ends all daemons at once by SIGTERM. An error names those that needed SIGKILL
// after the patience; Python daemons may well.
func (n *Node) Stop(patience time.Duration) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, p := range n.take() {
		wg.Go(func() {
			if err := p.Stop(patience); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Crash ends all daemons by SIGKILL.
func (n *Node) Crash() {
	for _, p := range n.take() {
		p.Kill()
	}
}

// Kill ends one daemon by SIGKILL.
func (n *Node) Kill(kind string) {
	n.mu.Lock()
	p := n.procs[kind]
	delete(n.procs, kind)
	n.mu.Unlock()
	if p != nil {
		p.Kill()
	}
}

// Argv is the command line of a program of Salt's, or of the command of ours that stands
// for it, in the configuration of the node.
func (n *Node) Argv(s *Salt, name string, args ...string) []string {
	argv := []string{n.program, name}
	if s != nil {
		argv = []string{s.Bin(name)}
	}
	return append(append(argv, "-c", n.Conf), args...)
}

// Run runs what Argv gives.
func (n *Node) Run(ctx context.Context, s *Salt, name string, args ...string) (Result, error) {
	argv := n.Argv(s, name, args...)
	return Command(ctx, exec.Command(argv[0], argv[1:]...))
}

// Tails gives the last lines of each log of the node that is not empty, by path.
func (n *Node) Tails(lines int) map[string]string {
	out := map[string]string{}
	logs, _ := filepath.Glob(filepath.Join(n.Dir, "log", "*"))
	for _, path := range logs {
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			continue
		}
		all := strings.Split(strings.TrimSpace(string(b)), "\n")
		out[path] = strings.Join(all[max(0, len(all)-lines):], "\n")
	}
	return out
}
