package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
)

var background = context.Background()

// World is one simulation. It is not safe for concurrent use.
type World struct {
	o     Options
	now   int64
	seq   uint64
	queue queue
	rng   *rand.Rand
	log   *slog.Logger

	nodes   []*node
	tops    []*node
	links   []*link
	ids     []string       // of all minions
	numbers map[string]int // index of each minion by id; built on first use
	kinds   []species
	movers
	jobs  []*job
	byJID map[string]*job

	points  int          // crash points passed
	crashAt map[int]bool // crash points at which a node dies
	events  int
	tiers   []Tier
	faults  int
	rescues *logs.Rescues // of all nodes

	requests uint64
	topCuts  map[[2]*node]topCut
	marks    map[mark]int
	evil     *rand.Rand        // stream of hostile peers; nil: no attacks
	report   *Report           // built on first use
	breaches []error           // violations found during the run
	held     map[stored]rowSet // during a check
	sql      *database         // of the tops; nil: none
}

// species is the kind of a minion.
type species uint8

const (
	good species = iota
	dead
	silent
	slow
	untracked
)

// job is the state of a job.
type job struct {
	Job
	n       int
	jid     string
	salt    uint64
	load    wire.Raw
	targets int
	whole   *job   // for a slice but the first: the job that it extends
	slice   int    // index among the slices
	slices  []*job // for a job that grows: all slices, itself first
	// assigned holds the minions of a batch that have begun, with the index of their slice.
	assigned map[int]int
	ran      []uint64 // bitset of the minions that have run it
	twice    []int    // minions that ran it more than once
	runs     []*run   // one for each top that publishes it
}

// run is a job at one top.
type run struct {
	top                  *node
	published, completed time.Duration
	last                 time.Duration // when the last return was stored
	closings             int
	answered             bool // the publishing command got its confirmation
	shared               bool // another top of the cluster publishes it
	account              Account
	gaveUp               map[string]jobevent.Absence // missing minions at the first completion
}

// at returns the run of the job at a top, or nil if that top does not publish it.
func (j *job) at(top *node) *run {
	for _, r := range j.runs {
		if r.top == top {
			return r
		}
	}
	return nil
}

// New makes a world in which all nodes run and are connected.
func New(o Options) (*World, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	w := &World{
		o: o, rng: o.stream(0x6d6f6d), log: slog.New(slog.DiscardHandler),
		byJID: map[string]*job{}, crashAt: map[int]bool{}, movers: newMovers(),
	}
	w.rescues = logs.NewRescues(w.log, w.clock)
	if o.SQL.any() {
		w.sql = &database{SQL: o.SQL, w: w, rng: o.stream(0x73716c)}
	}
	total := o.Shape.Total()
	w.ids, w.kinds = make([]string, total), make([]species, total)
	for i := range w.ids {
		w.ids[i] = fmt.Sprintf("m%07d", i)
		w.kinds[i] = w.speciesOf(i)
	}
	for i, spec := range o.Jobs {
		if err := w.addJob(i, spec); err != nil {
			return nil, err
		}
	}
	if err := w.addInvented(); err != nil {
		return nil, err
	}
	lo := 0
	for i := range o.Shape.Parents {
		n := w.newNode(i, lo, lo+o.Shape.Minions[i], o.Shape.above(i))
		lo += o.Shape.Minions[i]
		for len(w.tiers) <= n.depth {
			w.tiers = append(w.tiers, Tier{})
		}
		w.tiers[n.depth].Nodes++
	}
	for i := len(w.nodes) - 1; i >= 0; i-- { // children first, so that parents know their whole subtrees
		w.nodes[i].boot(true)
	}
	for _, j := range w.jobs {
		if j.invented {
			continue
		}
		if o.Cluster {
			w.clusterRuns(j)
		}
		for k, at := range []time.Duration{j.At, j.At + j.Twice} {
			if k > 0 && (j.Twice <= 0 || len(w.tops) < 2) {
				continue
			}
			r := &run{top: w.tops[(j.Top+k)%len(w.tops)], completed: -1}
			j.runs = append(j.runs, r)
			w.after(int64(at), func() { w.publish(j, r) })
		}
	}
	w.planFaults()
	w.planHostiles()
	w.planTurned()
	w.planClocks()
	w.planRegions()
	return w, nil
}

// speciesOf depends only on the minion and the shares, not on the shape or the seed: the same
// minions are dead in each schedule.
func (w *World) speciesOf(i int) species {
	m, x := w.o.Minions, share(uint64(i), 77)
	for _, k := range []struct {
		s    species
		part float64
	}{{dead, m.Dead}, {silent, m.Silent}, {slow, m.Slow}, {untracked, m.Untracked}} {
		if x < k.part {
			return k.s
		}
		x -= k.part
	}
	return good
}

// share maps two numbers to [0, 1).
func share(a, b uint64) float64 { return float64(mix(a, b)>>11) / (1 << 53) }

func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ b*0xbf58476d1ce4e5b9
	x ^= x >> 29
	x *= 0x94d049bb133111eb
	x ^= x >> 32
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>29
}

func (w *World) addJob(i int, spec Job) error {
	j := &job{Job: spec, n: i, salt: uint64(i) + 1, assigned: map[int]int{}}
	at := start.Add(spec.At)
	j.jid = fmt.Sprintf("%s%06d", at.Format("20060102150405"), (at.Nanosecond()/1000+i)%1_000_000)
	if w.byJID[j.jid] != nil {
		return fmt.Errorf("simulate: two jobs get the jid %s; publish them further apart", j.jid)
	}
	if err := j.cut(); err != nil {
		return err
	}
	j.ran = make([]uint64, (len(w.ids)+63)/64)
	for m := range w.ids {
		if j.aimed(m) {
			j.targets++
		}
	}
	w.jobs, w.byJID[j.jid] = append(w.jobs, j), j
	return nil
}

func (j *job) fails(m int) bool { return j.Fail > 0 && share(uint64(m), j.salt+1000) < j.Fail }

func (j *job) hasRun(m int) bool { return j.ran[m/64]&(1<<(m%64)) != 0 }

func (j *job) setRan(m int) {
	if j.hasRun(m) {
		j.twice = append(j.twice, m)
	}
	j.ran[m/64] |= 1 << (m % 64)
}

// horizon is the time after which nothing that matters happens. linger, how long a ledger keeps a
// closed account, is longer.
const (
	horizon = 500 * time.Hour
	linger  = 1000 * time.Hour
)

// errRestless is returned for a simulation that does not end within MaxEvents.
var errRestless = errors.New("the tree does not come to rest")

// Run plays all events. It returns an error if ctx ends or there are more than MaxEvents.
func (w *World) Run(ctx context.Context) error {
	defer w.stop()
	for len(w.queue) > 0 {
		if w.events++; w.events > w.o.MaxEvents {
			return fmt.Errorf("%w: %d events", errRestless, w.events)
		}
		if w.events%4096 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if w.o.Progress != nil {
				w.o.Progress(Progress{Events: w.events, Now: time.Duration(w.now), Waiting: len(w.queue)})
			}
		}
		e := w.queue.pop()
		if e.at > int64(horizon) {
			break // beyond it, closed accounts would be removed
		}
		w.now = e.at
		w.guard(func() { w.step(e) })
	}
	w.settle()
	return nil
}

func (w *World) step(e event) {
	var n *node
	if e.node >= 0 {
		if n = w.nodes[e.node]; n.life != e.life {
			return
		}
	}
	switch e.kind {
	case call:
		e.fn()
	case alarm:
		e.fn()
		// Timers of one instant have no order: all of them fire before the effects are carried
		// out.
		for len(w.queue) > 0 {
			if x := w.queue[0]; x.kind != alarm || x.at != e.at || x.node != e.node || x.life != e.life {
				break
			}
			w.queue.pop().fn()
		}
	case deliver:
		n.delivered(int(e.min), w.jobs[e.job])
	case ran:
		n.hasRun(int(e.min), w.jobs[e.job])
	case arrive:
		n.arrived(&n.minions[e.min], w.jobs[e.job])
	}
	if n != nil {
		n.runEffects()
	}
}

// crashed is the panic value for the death of a node during an event.
type crashed struct{ n *node }

// guard runs fn. If a node dies in it, guard kills that node for a while.
func (w *World) guard(fn func()) {
	defer func() {
		switch c := recover().(type) {
		case nil:
		case crashed:
			w.kill(c.n, w.o.Faults.For.draw(w.rng))
		default:
			panic(c)
		}
	}()
	fn()
}

// point marks a place where a node may crash.
func (n *node) point(where string) {
	w := n.w
	w.points++
	if len(w.crashAt) > 0 && w.crashAt[w.points] {
		w.trace(n, "crashes at point %d: %s", w.points, where)
		if where == "after a job is stored" || where == "before a job is sent" {
			w.reach(markSavedNotSent)
		}
		panic(crashed{n})
	}
}

func (w *World) trace(n *node, format string, args ...any) {
	if w.o.Trace == nil {
		return
	}
	who := "world"
	if n != nil {
		who = n.id
	}
	w.o.Trace(fmt.Sprintf("%12.6f %-10s %s", time.Duration(w.now).Seconds(), who, fmt.Sprintf(format, args...)))
}

// stop halts all nodes, which ends their goroutines.
func (w *World) stop() {
	for _, n := range w.nodes {
		if n.alive {
			n.halt()
		}
	}
}
