package pillar

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// CommandBelow is the command with which a node requests the pillar of one of its minions from its
// parent.
const CommandBelow = "_pillar_below"

// Asker sends requests to the parent.
type Asker interface {
	Call(ctx context.Context, load *value.Map) (any, error)
}

// Service provides pillars: compiled here, or with pillar_upstream by the parent.
type Service struct {
	*Compiler
	above Asker // nil: compile here
	log   *slog.Logger
}

// NewService returns a Service. above may be nil without pillar_upstream.
func NewService(c *Compiler, above Asker) *Service {
	s := &Service{Compiler: c, log: c.log}
	if c.cfg.PillarUpstream {
		s.above = above
	}
	return s
}

// Compile returns the pillar of a minion. The errors are those of [Compiler.Compile].
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

// fromAbove requests the pillar from the parent, which checks its own access rules.
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
		return nil, fmt.Errorf("unexpected answer %v", v)
	case m.Has("pillar"):
		if p := m.Map("pillar"); p != nil {
			return p, nil
		}
	case m.Has("refused"):
		return nil, errors.New(m.String("refused"))
	case m.Len() == 0:
		return nil, errors.New("it does not serve pillars to this node: it is a Salt master, or does not know this node as one")
	}
	return nil, errors.New("unreadable answer")
}

// ReadRequest decodes the fields of a pillar request, from the minion itself or from a node. id is
// the minion. ok is false without grains, as in Salt.
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
