package client

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// Preview is the set of minions that a target matches, as far as the master's stored data shows.
type Preview struct {
	// Minions are the minions that match, sorted.
	Minions []string
	// Unknown counts, by the id of their node, the minions that may match: the master does
	// not have their grains or pillar.
	Unknown map[string]int
}

// Preview returns the minions that the target of a job matches, and contacts no minion. It
// tests every minion of the tree by its id, and by the grains and pillar that the master has
// cached.
func (c *Client) Preview(ctx context.Context, j Job) (Preview, error) {
	if _, err := c.parse(j); err != nil {
		return Preview{}, err
	}
	top, err := c.Tree(ctx)
	if err != nil {
		return Preview{}, err
	}
	return c.preview(j, top)
}

// PreviewOf is Preview for a given tree, by the ids of its minions only. Node groups of the job
// must be resolved.
func PreviewOf(top topology.Node, j Job) (Preview, error) {
	c := &Client{}
	if _, err := c.parse(j); err != nil {
		return Preview{}, err
	}
	return c.preview(j, top)
}

func (c *Client) preview(j Job, top topology.Node) (Preview, error) {
	j, err := c.placed(j, top)
	if err != nil {
		return Preview{}, err
	}
	expr, err := c.parse(j)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Unknown: map[string]int{}}
	top.Walk(func(_ string, n topology.Node) {
		for _, m := range n.Minions {
			switch expr.Certain(c.known(m.ID)) {
			case target.Yes:
				p.Minions = append(p.Minions, m.ID)
			case target.Unknown:
				p.Unknown[n.ID]++
			}
		}
	})
	slices.Sort(p.Minions)
	p.Minions = slices.Compact(p.Minions)
	return p, nil
}

// known is a minion with its cached data.
type known struct {
	id             string
	grains, pillar any
}

func (k known) ID() string  { return k.id }
func (k known) Grains() any { return k.grains }
func (k known) Pillar() any { return k.pillar }

// known reads the cached data of a minion (Salt wire reference §13.2).
func (c *Client) known(id string) target.Subject {
	k := known{id: id}
	if c.o.Cachedir == "" {
		return k
	}
	b, err := os.ReadFile(filepath.Join(c.o.Cachedir, "minions", filepath.Base(id), "data.p"))
	if err != nil {
		return k
	}
	if m, err := wire.DecodeMap(b); err == nil {
		k.grains, _ = m.Get("grains")
		k.pillar, _ = m.Get("pillar")
	}
	return k
}
