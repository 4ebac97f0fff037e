package failover

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// drainFile in cachedir marks the node as draining. It survives a restart.
const drainFile = "draining"

func (s *Service) drainFile() string { return filepath.Join(s.Config.Cachedir, drainFile) }

func draining(cachedir string) bool {
	_, err := os.Stat(filepath.Join(cachedir, drainFile))
	return err == nil
}

// Draining reports whether `mom node drain` is in effect.
func (s *Service) Draining() bool { return draining(s.Config.Cachedir) }

// Drain sets or removes the mark that asks this node's minions to move to siblings.
func (s *Service) Drain(on bool) error {
	if on {
		if err := durable.WriteFile(s.drainFile(), nil, 0o600); err != nil {
			return fmt.Errorf("mark the node as draining: %w", err)
		}
	} else if err := os.Remove(s.drainFile()); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove the mark of draining: %w", err)
	}
	s.showDraining()
	s.Fire("topology/draining", wire.NewMap("node", s.Node, "draining", on))
	return nil
}

// showDraining sets or clears the problem "draining" in the tree.
func (s *Service) showDraining() {
	s.Tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Detail: "draining: its minions are asked to move to siblings; `mom node drain --undo` takes it back",
	}, "draining", s.Draining())
}
