package below

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/server"
)

// Questions from a master above.
const (
	askTrace  = "trace"
	askBodies = "bodies"
	askData   = "data"
)

// errNodeAway is the answer of a disconnected node.
var errNodeAway = errors.New("the node is not connected")

// errNodePlain is the answer of a stock syndic.
var errNodePlain = errors.New("the node is a Python syndic, which cannot be asked")

// Answer answers a question of the master above, for this node and all below.
func (s *Service) Answer(ctx context.Context, what string, arg wire.Raw) (any, error) {
	h, ok := s.handlers[what]
	if !ok {
		return nil, fmt.Errorf("node %s does not know the question %q: it runs version %s", s.o.Node, what, s.o.Version)
	}
	return h(ctx, arg)
}

// Ask asks nodes directly below; nil means all. Unreachable nodes have an answer with an error.
func (s *Service) Ask(ctx context.Context, nodes []string, what string, arg any) (map[string]nodecall.Answer, error) {
	if nodes == nil {
		nodes = s.o.Policy.Nodes()
	}
	out := map[string]nodecall.Answer{}
	var up []string
	for _, id := range nodes {
		live, _ := s.o.Presence.Node(id)
		switch {
		case !s.o.Keys.Accepted(id):
		case live == engine.Untracked:
			out[id] = nodecall.Answer{Err: errNodePlain}
		case live != engine.Up:
			out[id] = nodecall.Answer{Err: errNodeAway}
		default:
			up = append(up, id)
		}
	}
	answers, err := s.questions.Ask(ctx, up, what, arg)
	for id, a := range answers {
		out[id] = a
	}
	return out, err
}

// question publishes a question to nodes below.
func (s *Service) question(nodes []string, q nodecall.Question) error {
	p, err := q.Publication(nodes)
	if err != nil {
		return err
	}
	p.JID, p.User = s.o.JIDs.Next(), s.o.Own
	return s.o.Publications.Send(p, channel.TopicsOf(nodes), &zmtp.Choice{IDs: s.o.Policy.Conns(nodes)})
}

func init() {
	commands.Register(server.Command{
		Name: nodecall.Command, Who: server.Node, Whole: true, // answers are read page by page
		Args: []string{"ask", "value", "error"},
		Doc: `
The answer of a node to a question of this master. A mom command.

ask
    The question.
value, error
    The answer, or the error.
`,
	}, func(s *Service) server.Handler { return s.onAnswer })
}

// onAnswer serves `_answer`: a node's answer to a question of this master.
func (s *Service) onAnswer(_ context.Context, r *server.Request) (any, error) {
	var id, fault string
	var a nodecall.Answer
	err := wire.Fields(r.Load, func(key string, val wire.Raw) (err error) {
		switch key {
		case "ask":
			id, err = wire.Str(val)
		case "error":
			fault, err = wire.Str(val)
		case "value":
			a.Value = val
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("answer of node %s: %w", r.ID, err)
	}
	if fault != "" {
		a.Err = errors.New(fault)
	}
	return wire.NewMap("heard", s.questions.Take(r.ID, id, a)), nil
}
