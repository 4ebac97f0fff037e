package sim

import (
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/syndic/returns"
)

// RandomOptions draws a small tree, a mix of jobs, and faults of every kind. Another salt
// gives other schedules for the same seeds.
func RandomOptions(seed, salt uint64) Options {
	o := Options{Seed: seed, Salt: salt}
	r := o.stream(0x747265)
	o.Shape = RandomShape(r, 12, 5, 1+r.IntN(60))
	for range 1 + r.IntN(4) {
		o.Jobs = append(o.Jobs, Job{
			At:   time.Duration(r.IntN(20_000)) * time.Millisecond,
			Part: pick(r, 1, 1, 0.5, 0.1), Fail: pick(r, 0, 0.2),
			Run:  Dist{Min: time.Millisecond, Max: time.Duration(1+r.IntN(3000)) * time.Millisecond},
			Size: int(pick(r, 0, 100, 3000)),
		})
	}
	o.Minions = Minions{
		Dead: pick(r, 0, 0, 0.1), Silent: pick(r, 0, 0, 0.1), Slow: pick(r, 0, 0.1), Untracked: pick(r, 0, 0, 0.3),
		SlowBy: 12 * time.Second,
	}
	o.Faults = Faults{
		Loss: pick(r, 0, 0, 0.02, 0.2), Kills: r.IntN(4), Crashes: r.IntN(4), Partitions: r.IntN(4), OneWay: r.IntN(3), Drops: r.IntN(5),
	}
	if r.IntN(3) == 0 {
		o.Shape = o.Shape.WithTops(2 + r.IntN(2))
		for i := range o.Jobs {
			o.Jobs[i].Top = r.IntN(3)
			o.Jobs[i].Twice = time.Duration(pick(r, 0, 0.001, 1, 10) * float64(time.Second))
		}
	}
	if r.IntN(3) == 0 {
		o.Shape = o.Shape.Tie(r, 3)
	}
	o.OutboxRows = int64(pick(r, 0, 0, 0, 3, 20))
	o.Bounds = bounds.Draw(o.mixed()).Bounds
	o.Body = returns.Body(pick(r, 0, 0, 0, 1, 2))
	if r.IntN(2) == 0 {
		o.Rehome = time.Duration(pick(r, 0.5, 2) * float64(time.Second))
		o.Failback = time.Duration(pick(r, 2, 10, 60) * float64(time.Second))
		o.Faults.Moves = r.IntN(8)
		if r.IntN(2) == 0 { // moves race with messages under way
			o.Leaf = Dist{Min: time.Millisecond, Max: time.Duration(pick(r, 30, 300)) * time.Millisecond}
		}
	}
	o.Faults.Sick = int(pick(r, 0, 0, 1, 2))
	o.Faults.Repeat = pick(r, 0, 0, 0.1)
	o.drawActors()
	o.drawSlices()
	o.Namesakes = seed%2 == 0
	return o
}

func pick(r *rand.Rand, of ...float64) float64 { return of[r.IntN(len(of))] }

// mixed returns the seed of all draws, from Seed and Salt.
func (o *Options) mixed() uint64 {
	if o.Salt == 0 {
		return o.Seed
	}
	return mix(o.Seed, o.Salt)
}

// stream returns a source of draws of one kind. Draws of one kind do not shift those of another.
func (o *Options) stream(kind uint64) *rand.Rand { return rand.New(rand.NewPCG(o.mixed(), kind)) }

// drawSlices makes some jobs grow. It draws from a stream of its own: the rest of a schedule stays the same.
func (o *Options) drawSlices() {
	r := o.stream(0x67726f77)
	for i := range o.Jobs {
		n, every := int(pick(r, 1, 1, 2, 3, 5)), time.Duration(pick(r, 0, 0.05, 1, 8)*float64(time.Second))
		if j := &o.Jobs[i]; n > 1 && j.Queue == 0 {
			j.Slices, j.Every = n, every
		}
	}
}
