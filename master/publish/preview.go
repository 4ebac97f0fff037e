package publish

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

const (
	// previewNamed is the default number of minions that a preview names.
	previewNamed = 100
	// maxPreviewNamed is the maximum.
	maxPreviewNamed = 1000
	// maxPreviewNodes is the maximum number of nodes with counts.
	maxPreviewNodes = 1000
)

func init() {
	commands.Register(server.Command{
		Name: "preview", Who: server.User, Logins: true,
		Args: []string{"tgt", "tgt_type", "fun", "arg", "kwargs", "limit"},
		Doc: `
Lists the minions in the whole tree that a job would match, for users who may start it.
Nothing is sent. A mom command.

tgt, tgt_type
    The target.
fun, arg, kwargs
    As for publish. They decide whether the job would be refused.
limit
    Maximum number of minions named: 100 by default, at most 1000. All are counted.
`,
	}, func(s *Service) server.Handler { return s.previewed })
}

// previewed serves the command preview. It refuses what publish would refuse.
func (s *Service) previewed(_ context.Context, r *server.Request) (any, error) {
	p, err := wire.ParsePublishLoad(r.Load)
	if err == nil {
		err = wire.FitFields(r.Load, s.o.Config.Bounds.Depth)
	}
	if err != nil {
		return nil, server.Invalid("preview: %v", err)
	}
	limit, err := previewLimit(r.Load)
	if err != nil {
		return nil, err
	}
	calls, err := access.Calls(p)
	if err != nil {
		return nil, server.Invalid("preview: %v", err)
	}
	p.JID = "" // a jid would allow the sender to act for others
	by := access.ByOf(r)
	j, may, err := s.admit(p, by, calls)
	if err != nil {
		var no server.Refusal
		if !errors.As(err, &no) {
			return nil, server.Invalid("%v", err)
		}
		s.audit("preview", by, &p, calls, nil, err)
		s.o.Refused("preview", by.Name(p.User), wire.FunName(p.Fun))
		return nil, no
	}
	s.audit("preview", by, &p, calls, nil, nil)
	return s.preview(j, may, limit).wire(), nil
}

func previewLimit(load wire.Raw) (int, error) {
	f, err := wire.Field(load, "limit")
	if err != nil || len(f) == 0 || wire.IsNil(f) {
		return previewNamed, nil
	}
	n, err := wire.Int(f)
	if err != nil || n < 0 || n > maxPreviewNamed {
		return 0, server.Invalid("preview: limit must be an integer from 0 to %d", maxPreviewNamed)
	}
	return int(n), nil
}

// preview holds the minions that a job matches, as far as known without asking the nodes.
type preview struct {
	limit int
	// count is the number of minions that certainly match, and at the same by path; down counts
	// those of them that are unreachable.
	count, down int
	named       []topology.Place
	at          map[string]int
	// unknown counts minions that may match; nodes below decide by their grains and pillar.
	unknown int
	// blind counts nodes that do not report their minions.
	blind int
}

// preview evaluates the whole tree. Minions whose match depends on data of their node, or on the
// user's rules there, are counted and not named.
func (s *Service) preview(j *Job, may access.Permit, limit int) *preview {
	v := &preview{limit: limit, at: map[string]int{}}
	top := s.o.Tree.Snapshot()
	for _, id := range j.Answerers() {
		state := topology.Unknown
		if m, ok := top.Minion(id); ok {
			state = m.State
		}
		v.add("", id, state, false)
	}
	//mutant:api-preview-rules
	permits := may.Certainly()
	for _, n := range j.Nodes {
		below, ok := top.At(n.ID)
		if !ok {
			v.blind++
			continue
		}
		v.walk(below, n.ID, j.Expr, permits, below.State == topology.Down)
	}
	slices.SortFunc(v.named, func(a, b topology.Place) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path)) })
	return v
}

func (v *preview) walk(n topology.Node, path string, expr target.Expr, permits func(id string) bool, cut bool) {
	if n.Version == "" || n.Blind {
		v.blind++
	}
	for _, m := range n.Minions {
		switch meant := expr.Certain(target.ID(m.ID)); {
		case meant == target.No:
		case meant == target.Yes && permits(m.ID):
			v.add(path, m.ID, m.State, cut)
		default:
			v.unknown++
		}
	}
	for _, c := range n.Nodes {
		v.walk(c, path+"/"+c.ID, expr, permits, cut || c.State == topology.Down)
	}
}

func (v *preview) add(path, id string, state topology.State, cut bool) {
	v.count++
	v.at[path]++
	if cut || state == topology.Down {
		v.down++
	}
	if cut {
		state = topology.Unknown
	}
	if len(v.named) < v.limit {
		v.named = append(v.named, topology.Place{ID: id, Path: path, State: state})
	}
}

func (v *preview) wire() *wire.Map {
	minions := make([]any, 0, len(v.named))
	for _, p := range v.named {
		minions = append(minions, wire.NewMap("id", p.ID, "path", p.Path, "state", string(p.State)))
	}
	nodes := []any{}
	for _, path := range slices.Sorted(maps.Keys(v.at)) {
		if len(nodes) == maxPreviewNodes {
			break
		}
		nodes = append(nodes, wire.NewMap("path", path, "count", v.at[path]))
	}
	return wire.NewMap("enc", "clear", "load", wire.NewMap("count", v.count, "down", v.down, "unknown", v.unknown, "blind", v.blind,
		"minions", minions, "nodes", nodes))
}
