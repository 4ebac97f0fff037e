package runners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// docMinions limits the minions that doc.execution asks without a target: each sends its whole
// documentation.
const docMinions = 20

func docExecution(ctx context.Context, c *Call) (any, error) {
	q := Question{TgtType: "glob", Fun: "sys.doc"}
	if v, ok := c.Given("tgt"); ok {
		q.Tgt = v
		if t := c.Text("tgt_type"); t != "" {
			q.TgtType = t
		}
	} else {
		ids, opaque := versed(c.Env.Tree())
		q.Tgt, q.TgtType = ids, "list"
		if len(ids) == 0 {
			if !opaque {
				return nil, errors.New("doc.execution: no minion of the tree is connected")
			}
			q.Tgt, q.TgtType = "*", "glob" // only the syndics below know which minions exist
		}
	}
	a, err := query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	docs, refused := map[string]any{}, []string{}
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		m, ok := a.Returned[id].Value.(*wire.Map)
		if !ok || !a.Returned[id].OK {
			refused = append(refused, id)
			continue
		}
		m.Range(func(k, v any) bool {
			if fun := fmt.Sprint(k); docs[fun] == nil {
				docs[fun] = v
			}
			return true
		})
	}
	if len(refused) > 0 {
		c.Progress("Minions without documentation: " + strings.Join(refused[:min(len(refused), missedNamed)], ", "))
	}
	if len(docs) == 0 {
		return nil, errors.New("doc.execution: no minion gave its documentation")
	}
	out := wire.NewMap()
	for _, fun := range slices.Sorted(maps.Keys(docs)) {
		out.Set(fun, docs[fun])
	}
	return out, nil
}

// versed picks minions of each version in turn that are up or whose state is unknown.
func versed(tree topology.Node) (ids []string, opaque bool) {
	all, opaque := leaves(tree)
	byVersion := map[string][]string{}
	for _, l := range all {
		if l.state != topology.Down {
			byVersion[l.version] = append(byVersion[l.version], l.id)
		}
	}
	versions := slices.Sorted(maps.Keys(byVersion))
	for round := 0; len(ids) < docMinions; round++ {
		before := len(ids)
		for _, v := range versions {
			if round < len(byVersion[v]) && len(ids) < docMinions {
				ids = append(ids, byVersion[v][round])
			}
		}
		if len(ids) == before {
			break
		}
	}
	slices.Sort(ids)
	return ids, opaque
}
