package pillar

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// CommandBelow is the command by which a node asks the master above for the pillar of one
// of its minions.
const CommandBelow = "_pillar_below"

// Asker is the way to the master above.
type Asker interface {
	Call(ctx context.Context, load *value.Map) (any, error)
}

// Service gives minions their pillar: compiled here, or with pillar_upstream by the master
// above.
type Service struct {
	*Compiler
	above Asker // nil: compiled here
	log   *slog.Logger
}

// NewService makes one. above may be nil where pillar_upstream is not set.
func NewService(c *Compiler, above Asker) *Service {
	s := &Service{Compiler: c, log: c.log}
	if c.cfg.PillarUpstream {
		s.above = above
	}
	return s
}

// Compile gives the pillar of a minion. The errors are those of [Compiler.Compile].
func (s *Service) Compile(ctx context.Context, r Request) (*value.Map, error) {
	if s.above == nil {
		return s.Compiler.Compile(ctx, r)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.fromAbove(ctx, r.own())
	if err != nil {
		text := fmt.Sprintf("The pillar could not be had from the master above (pillar_upstream): %v", err)
		s.log.Error("Pillar render error: "+text, "minion", r.ID) //nolint:sloglint // Salt's text
		return value.NewMap("_errors", []any{text}), nil
	}
	return p, nil
}

// fromAbove asks the master above. It has its own rules of who may ask for whom.
func (s *Service) fromAbove(ctx context.Context, r Request) (*value.Map, error) {
	override := r.Override
	if override == nil {
		override = value.NewMap()
	}
	load := value.NewMap("cmd", CommandBelow, "minion", r.ID, "grains", r.Grains, "saltenv", textOrNone(r.Saltenv),
		"pillarenv", textOrNone(r.Pillarenv), "pillar_override", override, "clean_cache", r.Fresh)
	if r.Ext != nil {
		load.Set("ext", r.Ext)
	}
	v, err := s.above.Call(ctx, load)
	if err != nil {
		return nil, err
	}
	m, ok := v.(*value.Map)
	switch {
	case !ok:
		return nil, fmt.Errorf("it answers %v", v)
	case m.Has("pillar"):
		if p := m.Map("pillar"); p != nil {
			return p, nil
		}
	case m.Has("refused"):
		return nil, errors.New(m.String("refused"))
	case m.Len() == 0:
		return nil, errors.New("it does not know the question: a master of Salt's gives no pillar to a node's minions, nor does one whose syndic this node is not")
	}
	return nil, errors.New("its answer cannot be read")
}

// ReadRequest reads the fields that a request for a pillar has, those for the minion itself
// and those of nodes; id is whose pillar it is. ok is false without grains, as in Salt.
func ReadRequest(id string, d *wire.Map) (r Request, ok bool) {
	grains, isMap := field(d, "grains").(*value.Map)
	r = Request{ID: id, Grains: grains, Saltenv: d.String("saltenv"), Pillarenv: d.String("pillarenv"), Fresh: d.Bool("clean_cache")}
	r.Override, _ = field(d, "pillar_override").(*value.Map)
	r.Ext = field(d, "ext")
	if r.Ext == false || r.Ext == "" {
		r.Ext = nil
	}
	return r, isMap && grains != nil
}

func field(d *wire.Map, name string) any {
	v, _ := d.Get(name)
	return Copy(v)
}
