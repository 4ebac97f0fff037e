package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	pillars "github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: pillars.CommandBelow, Who: server.Node,
		Args: []string{"minion", "grains", "saltenv", "pillarenv", "pillar_override", "ext", "clean_cache"},
		Doc: `
Returns the pillar of a minion of the sender (pillar_upstream): {pillar: {…}}, or
{refused: why}. A node receives only pillars of its own minions.

minion
    The id of the minion.
grains, saltenv, pillarenv, pillar_override, ext, clean_cache
    As the minion sent them to the node; see _pillar.
`,
	}, func(p *Parts) server.Handler {
		return pillarBelow{compile: p.Pillars.Compile, may: p.MayAnswer, refused: func(what string, err error) { p.Server.Refused(what, nil, err) }}.serve
	})
}

// pillarBelow serves nodes the pillar of their minions.
type pillarBelow struct {
	compile func(context.Context, pillars.Request) (*wire.Map, error)
	may     func(node, id string) error
	refused func(kind string, err error)
}

func (c pillarBelow) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("pillar below %q: %w", r.ID, err)
	}
	no := func(why error) (any, error) {
		c.refused("pillar", fmt.Errorf("%s asks for the pillar of %q: %w", r.ID, d.String("minion"), why))
		return wire.NewMap("refused", why.Error()), nil
	}
	if r.Version < 3 { // every holder of the shared key could read the answer
		return no(errors.New("pillars are sent to nodes of protocol 3 only"))
	}
	id := d.String("minion")
	//mutant:pillar-nodes-ask-for-theirs
	if err := c.may(r.ID, id); err != nil {
		return no(fmt.Errorf("%s is not one of its minions: %w", id, err))
	}
	q, ok := pillars.ReadRequest(id, d)
	if !ok {
		return no(errors.New("the request has no grains"))
	}
	p, err := c.compile(ctx, q)
	if errors.Is(err, pillars.ErrBusy) || err != nil && ctx.Err() != nil {
		return server.Clear{Value: wire.NotNow}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pillar below %s: %w", r.ID, err)
	}
	return wire.NewMap("pillar", p), nil
}
