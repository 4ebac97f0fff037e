package render

import (
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/jinja"
)

// subject is the minion of a template.
type subject struct {
	id             string
	grains, pillar any
}

func (s subject) ID() string  { return s.id }
func (s subject) Grains() any { return s.grains }
func (s subject) Pillar() any { return s.pillar }

// matchTarget reports whether a target matches the minion.
func matchTarget(r *jinja.Run, expr, kind, id string, grains, pillar any) (bool, error) {
	s := subject{id: id}
	var err error
	if s.grains, err = r.Give(grains); err != nil {
		return false, err
	}
	if s.pillar, err = r.Give(pillar); err != nil {
		return false, err
	}
	e, err := target.Parse(expr, kind, target.Options{})
	if err != nil {
		return false, err
	}
	return e.Match(s), nil
}
