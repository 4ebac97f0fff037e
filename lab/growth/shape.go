package growth

import (
	"fmt"
	"math"
	"time"

	"github.com/momtree/mom/lab/sim"
)

// Kind is a way to arrange minions.
type Kind string

// The kinds.
const (
	// Tree has three tops that act as one, twelve regions behind a WAN, and sites of at most
	// SiteMinions minions.
	Tree Kind = "tree"
	// Flat is one master for all minions.
	Flat Kind = "flat"
)

// Kinds lists the kinds.
var Kinds = []Kind{Tree, Flat}

const (
	tops    = 3
	regions = 12
	// SiteMinions is how many minions a site has at most.
	SiteMinions = 4200
)

// Options returns the simulation of test.ping to about so many minions.
func (k Kind) Options(minions int) (sim.Options, error) {
	o := sim.Options{Seed: 1, SQL: sim.SQL{
		Commit: sim.Dist{Min: 3 * time.Millisecond, Max: 9 * time.Millisecond}, Rows: 20_000,
	}}
	text := fmt.Sprint(minions)
	switch k {
	case Tree:
		sites := (minions + regions*SiteMinions - 1) / (regions * SiteMinions)
		text = fmt.Sprintf("%dx%dx%d", regions, sites, (minions+regions*sites-1)/(regions*sites))
	case Flat:
	default:
		return o, fmt.Errorf("grow a tree: unknown kind %q; use tree or flat", k)
	}
	shape, err := sim.ParseShape(text)
	if err != nil {
		return o, fmt.Errorf("grow a tree: %w", err)
	}
	if o.Shape = shape; k == Tree {
		o.Shape, o.Cluster = shape.WithTops(tops), true
		o.WAN = sim.WAN{Delay: sim.Dist{Min: 20 * time.Millisecond, Max: 80 * time.Millisecond}, Loss: 0.001, Rate: 200e6 / 8}
	}
	return o, nil
}

// Sizes returns the numbers of minions from low to high, perDecade of them to each factor of ten.
func Sizes(low, high, perDecade int) []int {
	var out []int
	for i := 0; ; i++ {
		n := int(math.Round(float64(low) * math.Pow(10, float64(i)/float64(perDecade))))
		if n > high {
			return out
		}
		out = append(out, n)
	}
}
