package failover

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// drainFile in cachedir says that the node wants to lose its minions. It survives a restart.
const drainFile = "draining"

func (s *Service) drainFile() string { return filepath.Join(s.Config.Cachedir, drainFile) }

// Draining tells whether `mom node drain` was given at this node.
func (s *Service) Draining() bool {
	_, err := os.Stat(s.drainFile())
	return err == nil
}

// Drain sets or takes back the mark that this node wants to lose its minions.
func (s *Service) Drain(on bool) error {
	if on {
		if err := crypt.WriteFile(s.drainFile(), nil, 0o600); err != nil {
			return fmt.Errorf("mark the node as draining: %w", err)
		}
	} else if err := os.Remove(s.drainFile()); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("take back that the node is draining: %w", err)
	}
	s.showDraining()
	s.Fire("topology/draining", wire.NewMap("node", s.Node, "draining", on))
	return nil
}

// showDraining has the tree show that this node is draining, or that no longer.
func (s *Service) showDraining() {
	s.Tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Detail: "draining: its minions are asked to move to siblings; `mom node drain --undo` takes it back",
	}, "draining", s.Draining())
}
