package mine

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

// treeCommand is the request of a node for the entries of the rest of the tree.
const treeCommand = "_mine_tree"

var commands server.Set[*Service]

// Commands returns the commands of the mine.
func Commands() []server.Command { return commands.Commands() }

// Serve registers them with a server.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }

func init() {
	commands.Register(server.Command{
		Name: "_mine", Who: server.Proven, Args: []string{"data", "clear"}, Whole: true, Doc: `
A minion updates its mine.
data
    The values, by name.
clear
    True: they replace all earlier entries.
`,
	}, func(s *Service) server.Handler { return s.onGive })
	commands.Register(server.Command{
		Name: "_mine_get", Who: server.Proven, Args: []string{"tgt", "tgt_type", "expr_form", "fun"}, Doc: `
Returns mine entries of minions of the whole tree that the sender may read.
tgt, tgt_type, expr_form
    The minions; old minions send the type as expr_form.
fun
    A name, several separated by commas, or a list of names. The answer is by minion for
    one name, and by name and minion for several.
`,
	}, func(s *Service) server.Handler { return s.onGet })
	commands.Register(server.Command{
		Name: "_mine_delete", Who: server.Proven, Args: []string{"fun"}, Doc: `
A minion removes one entry of its mine.
fun
    The name of the entry.
`,
	}, func(s *Service) server.Handler { return s.onDelete })
	commands.Register(server.Command{
		Name: "_mine_flush", Who: server.Proven, Doc: `
A minion removes all entries of its mine.
`,
	}, func(s *Service) server.Handler { return s.onFlush })
	commands.Register(server.Command{
		Name: treeCommand, Who: server.Node, Args: []string{"tgt", "tgt_type", "fun", "after"}, Doc: `
Returns mine entries of minions that are not behind the node that asks. A mom command.
tgt, tgt_type, fun
    The minions, and a list of names.
after
    The last id of the previous page: answers come in pages.
`,
	}, func(s *Service) server.Handler { return s.onTree })
}

// onGive serves `_mine`. It answers true, or the reason why nothing was stored.
func (s *Service) onGive(_ context.Context, r *server.Request) (any, error) {
	if !s.o.Keep {
		return true, nil // as in Salt: not an error
	}
	var data wire.Raw
	clear := false
	err := wire.Fields(r.Load, func(key string, val wire.Raw) error {
		switch key {
		case "data":
			data = val
		case "clear":
			clear = wire.Truth(val)
		}
		return nil
	})
	if err == nil && !wire.IsMap(data) {
		err = errors.New("the data is not a map")
	}
	if err == nil && r.Deep {
		err = wire.FitFields(r.Load, s.o.Depth)
	}
	if err == nil {
		err = s.store.Put(r.ID, data, clear)
	}
	if err != nil {
		s.refuse(r.ID, fmt.Errorf("mine data not stored: %w", err))
		return "ERROR: the mine: " + err.Error(), nil
	}
	return true, nil
}

// onGet serves `_mine_get`.
func (s *Service) onGet(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("mine of others, for %s: %w", r.ID, err)
	}
	q, err := ReadQuestion(d)
	if errors.Is(err, errNoQuestion) {
		s.refuse(r.ID, err)
		return wire.NewMap(), nil
	}
	var out *wire.Map
	if err == nil {
		out, err = s.Get(ctx, r.ID, q)
	}
	if errors.Is(err, admission.ErrShare) {
		return nil, fmt.Errorf("%w: mine of others, for %s: %w", server.ErrNotNow, r.ID, err)
	}
	if err != nil {
		s.refuse(r.ID, err)
		return "ERROR: the mine: " + err.Error(), nil
	}
	return out, nil
}

// onDelete serves `_mine_delete`.
func (s *Service) onDelete(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("mine of %s: %w", r.ID, err)
	}
	if !s.o.Keep {
		return true, nil
	}
	return s.store.Delete(r.ID, d.String("fun"))
}

// onFlush serves `_mine_flush`.
func (s *Service) onFlush(_ context.Context, r *server.Request) (any, error) {
	if !s.o.Keep {
		return true, nil
	}
	//mutant:mine-forged-id
	return s.store.Flush(r.ID)
}

// onTree serves `_mine_tree`, the request of a node.
func (s *Service) onTree(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("mine of others, for node %s: %w", r.ID, err)
	}
	tgt, _ := d.Get("tgt")
	q := Question{Tgt: tgt, TgtType: d.String("tgt_type"), Names: wire.Texts(d.List("fun"))}
	if len(q.Names) > maxNames {
		return nil, fmt.Errorf("mine of others, for node %s: %d functions, at most %d", r.ID, len(q.Names), maxNames)
	}
	p, err := s.forNode(ctx, r.ID, q, d.String("after"))
	if err != nil {
		return nil, fmt.Errorf("mine of others, for node %s: %w", r.ID, err)
	}
	return p.load(), nil
}

// refuse reports a refused request of a minion.
func (s *Service) refuse(id string, err error) {
	s.o.Trespassed(ownership.Trespass{Kind: ownership.OfMine, Path: id, ID: id, Err: err})
}
