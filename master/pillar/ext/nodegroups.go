package ext

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/value"
)

func init() {
	args := []string{"pillar_name="}
	Register(Source{
		Name: "nodegroups", OnDemand: true, Steady: true,
		Check: func(conf any) error { _, err := bind(conf, args...); return err },
		Load: func(_ context.Context, c *Call) (*value.Map, error) {
			a, err := bind(c.Conf, args...)
			if err != nil {
				return nil, err
			}
			name, err := a.text("pillar_name")
			if err != nil {
				return nil, err
			}
			if name == "" {
				name = "nodegroups"
			}
			in := []any{}
			for _, group := range slices.Sorted(maps.Keys(c.Config.Nodegroups)) {
				ok, err := c.Host.Match(group, "nodegroup")
				if err != nil {
					return nil, fmt.Errorf("node group %s: %w", group, err)
				}
				if ok {
					in = append(in, group)
				}
			}
			return value.NewMap(name, in), nil
		},
		Doc: `
The node groups that the minion is in, as a list.

pillar_name : nodegroups
    The key that it is put under.

    ext_pillar:
      - nodegroups:
          pillar_name: groups
`,
	})
}
