package runners

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

func init() {
	Register(
		Function{Name: "resource.list_grains", Run: resourceList, Doc: `
The resources of Salt 3008's minions that have grains, by type:id, each with the names of
its grains and their number.

    salt-run resource.list_grains
`},
		Function{Name: "resource.show_grains", Args: []string{"type", "id"}, Run: resourceShow, Doc: `
The grains of a resource, or None if it is not known or has none.

type, id
    The type of the resource and its id.

    salt-run resource.show_grains type=dummy id=dummy-01
`},
		Function{Name: "resource.refresh", Args: []string{"minion"}, Run: resourceRefresh, Doc: `
Make a minion of Salt 3008 discover and register its resources now. Returns whether it has
begun to.

minion
    The id of the minion that manages them.

    salt-run resource.refresh minion=resources-minion
`},
	)
}

// resourceGrains returns the grains of the resources of the tree, by type:id.
func resourceGrains(ctx context.Context, c *Call) (*wire.Map, map[string]string, error) {
	k, err := keep(c)
	if err != nil {
		return nil, nil, err
	}
	minions, away, err := k.Known(ctx, Known{Tgt: "*", TgtType: "glob", Resources: true})
	if err != nil {
		return nil, nil, err
	}
	out := wire.NewMap()
	for _, id := range sortedKeys(minions) {
		grains := minions[id].Map("resources").Map("resource_grains")
		for _, name := range grains.Keys() {
			if g, _ := name.(string); grains.Map(g) != nil {
				out.Set(g, grains.Map(g))
			}
		}
	}
	return out, away, nil
}

func resourceList(ctx context.Context, c *Call) (any, error) {
	all, away, err := resourceGrains(ctx, c)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, name := range all.Keys() {
		grains := all.Map(name.(string))
		keys := wire.Texts(grains.Keys())
		slices.Sort(keys)
		out.Set(name, wire.NewMap("grain_keys", wire.AnyList(keys), "grain_count", grains.Len()))
	}
	return out, notSaid(away)
}

func resourceShow(ctx context.Context, c *Call) (any, error) {
	all, away, err := resourceGrains(ctx, c)
	if err != nil {
		return nil, err
	}
	if g := all.Map(c.Text("type") + ":" + c.Text("id")); g != nil {
		return g, nil
	}
	return nil, notSaid(away)
}

func resourceRefresh(ctx context.Context, c *Call) (any, error) {
	id := c.Text("minion")
	if id == "" {
		return false, nil // as in Salt
	}
	a, err := query(ctx, c, Question{Tgt: []any{id}, TgtType: "list", Fun: "saltutil.refresh_resources"})
	if err != nil {
		return nil, err
	}
	return a.Returned[id].Value == true, nil
}
