package resources

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

// Service serves the registration of resources. All fields are required.
type Service struct {
	*Registry
	// Trespassed is called when a minion registers what it may not.
	Trespassed func(ownership.Trespass)
	// Refreshed is called for a minion whose resources were registered.
	Refreshed func(minion string)
}

var commands server.Set[*Service]

// Commands returns the command of this package.
func Commands() []server.Command { return commands.Commands() }

// Serve adds the command to a server.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }

func init() {
	commands.Register(server.Command{
		Name: "_register_resources", Who: server.Proven, Args: []string{"resources", "resource_grains"}, Whole: true, Doc: `
A minion of Salt 3008 registers the resources that it manages. They replace all earlier ones.

resources
    Their ids, by type.
resource_grains
    Their grains, by "type:id".
`,
	}, func(s *Service) server.Handler { return s.onRegister })
}

// onRegister serves `_register_resources`. It answers true, as Salt does: minions ignore the
// answer.
func (s *Service) onRegister(_ context.Context, r *server.Request) (any, error) {
	list, err := Parse(r.Load)
	if err != nil {
		return nil, fmt.Errorf("resources of %s: %w", r.ID, err)
	}
	refused, err := s.Register(r.ID, list)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(refused)) {
		s.Trespassed(ownership.Trespass{Kind: ownership.OfResource, Path: r.ID, ID: id, Err: fmt.Errorf("resource not allowed: %s", refused[id])})
	}
	s.Refreshed(r.ID)
	return true, nil
}
