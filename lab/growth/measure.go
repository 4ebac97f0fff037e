package growth

import (
	"context"
	"fmt"

	"github.com/momtree/mom/lab/sim"
)

// Measure plays test.ping in a tree of one kind and size. It returns an error if the tree breaks a
// promise.
func Measure(ctx context.Context, k Kind, minions int) (Point, error) {
	o, err := k.Options(minions)
	if err != nil {
		return Point{}, err
	}
	w, err := sim.New(o)
	if err == nil {
		err = w.Run(ctx)
	}
	if err == nil {
		err = w.Check()
	}
	if err != nil {
		return Point{}, fmt.Errorf("play a %s of %d minions: %w", k, minions, err)
	}
	return newPoint(k, w.Report()), nil
}

func newPoint(k Kind, r sim.Report) Point {
	p := Point{Kind: k, Minions: float64(r.Minions)}
	v := &p.values
	v[Nodes] = float64(r.Nodes)
	for _, a := range r.Jobs {
		v[LastReturn] = max(v[LastReturn], a.Last.Seconds())
	}
	for _, s := range r.SQL {
		v[InSQL] = max(v[InSQL], s.Last.Seconds())
		v[SQLWaiting] = max(v[SQLWaiting], float64(s.Most))
	}
	for _, t := range r.Tiers {
		v[Messages] += float64(t.Up.Messages + t.Down.Messages)
		v[Bytes] += float64(t.Up.Bytes + t.Down.Bytes)
	}
	top, site := r.Tiers[0], r.Tiers[len(r.Tiers)-1]
	v[TopBytes] = float64(top.Up.Bytes) / float64(top.Nodes)
	v[TopRows], v[TopMemory], v[TopBusy] = top.MaxRate, float64(top.MaxMemory), top.MaxBusy.Seconds()
	v[SiteRows], v[SiteMemory] = site.MaxRate, float64(site.MaxMemory)
	if len(r.Tiers) > 2 {
		region := r.Tiers[1]
		v[RegionRows], v[RegionMemory], v[RegionWaiting] = region.MaxRate, float64(region.MaxMemory), float64(region.MaxOutbox)
	}
	return p
}
