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
	// previewNamed is how many minions a preview names if nobody says.
	previewNamed = 100
	// maxPreviewNamed bounds what may be asked for.
	maxPreviewNamed = 1000
	// maxPreviewNodes bounds the nodes that are told with their counts.
	maxPreviewNodes = 1000
)

func init() {
	commands.Register(server.Command{
		Name: "preview", Who: server.User, Logins: true,
		Args: []string{"tgt", "tgt_type", "fun", "arg", "kwargs", "limit"},
		Doc: `
Whom a job would mean in the whole tree, for those who may start it; nothing is sent. Our
own addition.

tgt, tgt_type
    Whom it means.
fun, arg, kwargs
    The function, its arguments and further fields, as for publish: they decide whether the
    job would be refused.
limit
    How many minions are named; 100 if left out, at most 1000. All are counted.
`,
	}, func(s *Service) server.Handler { return s.previewed })
}

// previewed answers the command preview. It refuses what publish would refuse.
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
	p.JID = "" // whoever brings one may speak for others
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
		return 0, server.Invalid("preview: limit has to be a whole number from 0 to %d", maxPreviewNamed)
	}
	return int(n), nil
}

// preview is whom a job means, as far as it can be told without asking anybody.
type preview struct {
	limit int
	// count are those that are certainly meant, by place in at; down those among them that
	// do not hear it now: they are down, or behind a node that is.
	count, down int
	named       []topology.Place
	at          map[string]int
	// unknown may be meant as well: nodes below decide, which have their grains and pillar.
	unknown int
	// blind are nodes that do not tell whom they have.
	blind int
}

// preview looks at the whole tree. What depends on grains or pillar that only a node has
// is counted and not named, and so is whoever the rules of the user may not mean: that
// the node refuses the job for them is not known here.
func (s *Service) preview(j *Job, may access.Permit, limit int) *preview {
	v := &preview{limit: limit, at: map[string]int{}}
	top := s.o.Tree()
	for _, id := range j.Answerers() {
		state := topology.Unknown
		if m, ok := top.Minion(id); ok {
			state = m.State
		}
		v.take("", id, state, false)
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
			v.take(path, m.ID, m.State, cut)
		default:
			v.unknown++
		}
	}
	for _, c := range n.Nodes {
		v.walk(c, path+"/"+c.ID, expr, permits, cut || c.State == topology.Down)
	}
}

func (v *preview) take(path, id string, state topology.State, cut bool) {
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
