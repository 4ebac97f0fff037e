package state

import (
	"context"
	"fmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// source provides SLS files of the master, or of file_roots.
type source struct {
	*fileclient.Client
	env modules.Env
}

var _ states.Source = source{}

// Files returns the paths of an environment.
func (s source) Files(ctx context.Context, saltenv string) ([]string, error) {
	return s.List(ctx, fileclient.Files, saltenv, "")
}

// Tops returns the master's tops (protocol.md §8, _master_tops).
func (s source) Tops(ctx context.Context) (*value.Map, error) {
	if masterless(s.env) {
		return nil, nil
	}
	opts := value.NewMap("id", s.env.Option("id"), "grains", s.env.Grains())
	v, err := s.env.Ask(ctx, value.NewMap("cmd", "_master_tops", "opts", opts, "id", s.env.Option("id")))
	if err != nil {
		return nil, fmt.Errorf("the tops of the master: %w", err)
	}
	m, _ := v.(*value.Map) // a master without tops answers {} or ""
	return m, nil
}
