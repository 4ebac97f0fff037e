package sim

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/topology/plan"
)

// Job is one job of the mix.
type Job struct {
	At  time.Duration // when it is published, since the start
	Fun string
	// Part is the share of the minions that the target matches, spread evenly;
	// 0 and 1 mean all.
	Part float64
	Run  Dist // how long a minion works on it
	Size int  // bytes of the result; 0: the text true
	// Fail is the share of minions whose return tells a failure.
	Fail float64
	// Odd is the share of minions whose return is nested deeply or has no result, as a
	// stock minion may send it.
	Odd float64
	// Top is which of several tops publishes it, counted from 0. Twice, if above
	// zero, is how much later the next top publishes it too, under the same jid.
	Top   int
	Twice time.Duration
	// Queue, if above zero, is for how long minions and nodes that are away are given it
	// when they are back, also when it is over for all others.
	Queue time.Duration
	// Slices, if above 1, is in how many publications under one job id the job is given, as a
	// batch does: each is for further minions, and goes out Every after the one before was taken.
	Slices int
	Every  time.Duration
	// Batch has the top publish the job in slices by itself, to a few minions at a time.
	Batch Batch

	invented bool // nobody publishes it: see Hostile.Floods
}

// Minions describes the population. The shares are of all minions and exclude each
// other; the rest answers as it should.
type Minions struct {
	Dead   float64 // never connected
	Silent float64 // without presence, take the job, never answer anything
	Slow   float64 // work SlowBy longer
	SlowBy time.Duration
	// Untracked minions do not report presence (Python): found out by find_job.
	Untracked float64
}

// Faults says what goes wrong. Everything heals in the end.
type Faults struct {
	// Loss is the share of requests, answers and returns that are lost.
	Loss float64
	// Kills is how many kills of a node, between two events; Crashes is how many
	// at a point inside the handling of one, such as between commit and
	// acknowledgement.
	Kills, Crashes int
	// Partitions is how many edges are cut both ways, OneWay how many one way.
	Partitions, OneWay int
	// Drops is how many single minions lose their connection.
	Drops int
	// Moves is how many single minions move to a sibling although their node is
	// there: half of them are asked to, the others cannot reach it.
	Moves int
	// Sick is how many times a disk takes nothing for a while; in half of them the node
	// is killed in the end.
	Sick int
	// Lag is how many times a disk takes seconds for each commit for a while; in two of
	// three the node is killed in the end, or before.
	Lag int
	// Repeat is the share of requests whose bytes the transport sends once more.
	Repeat float64
	// Clocks is how many times the wall clock of a node jumps by 26 hours, most of them
	// ahead: for a second, a minute or a day. Jobs are kept for a day then.
	Clocks int
	// Turned is how many times the key of a node is accepted anew at a master above, where the
	// minion of its machine speaks first: the node is refused until an operator admits it. It
	// is played where minions do not move.
	Turned int
	// Hostile is what accepted peers do that they may not. It is played where minions do
	// not move.
	Hostile Hostile
	// Within is the time in which faults begin. Default: until 5 s after the
	// last job was published.
	Within time.Duration
	// For is how long each lasts. Default 100ms..20s.
	For Dist
}

// any tells whether something may get lost or late. Neither hostile peers nor clocks do
// that.
func (f Faults) any() bool {
	return f.Loss > 0 || f.Kills+f.Crashes+f.Partitions+f.OneWay+f.Drops+f.Moves+f.Sick+f.Lag+f.Turned > 0 || f.Repeat > 0
}

// loud are the faults without those of keys and clocks.
func (f Faults) loud() Faults {
	f.Hostile, f.Clocks, f.Turned = Hostile{}, 0, 0
	return f
}

// Options of a [World]. Zero values mean the defaults.
type Options struct {
	Shape   Shape
	Seed    uint64
	Salt    uint64 // other schedules for the same seeds
	Jobs    []Job  // default: one test.ping to all at 0 s
	Minions Minions
	Faults  Faults
	// Namesakes: nodes have the ids of minions of the nodes above them, as a syndic and the
	// minion of its host do.
	Namesakes bool
	// Edge and Leaf are the latencies of one way between nodes and between a
	// node and a minion. Default 1ms..2ms and 500us..1ms.
	Edge, Leaf Dist
	// Gather is syndic_event_forward_timeout. Default 500 ms.
	Gather time.Duration
	// Timeout and Lease are the ledger's. Default 5 s each.
	Timeout, Lease time.Duration
	// Rehome is rehome_after: minions whose node is gone for so long, and up to as
	// much again, move to a sibling of it. 0: they wait, but 2 s with Faults.Moves.
	// Failback is rehome_failback. Default 60 s.
	Rehome, Failback time.Duration
	// Heartbeat is after how long the two ends of a cut edge know. Default 3 s.
	Heartbeat time.Duration
	// Costs is what a node's work takes. Default: [MeasuredCosts]
	// of two processors.
	Costs Costs
	// OutboxRows bounds each outbox; 0: no bound.
	OutboxRows int64
	// Bounds are those of each node, all the same. Those that are not set are as in
	// production.
	Bounds bounds.Bounds
	// Body is syndic_forward_returns: what of a return goes up.
	Body returns.Body
	// Narrow is the share of nodes that take less deep values than the others, Older of
	// those that refuse a request whole when they cannot read a part of it.
	Narrow, Older float64
	// Strict is the share of nodes that take signed returns alone, Unsigned of minions that do
	// not sign theirs, or with another key.
	Strict, Unsigned float64
	// Insist gives every missed publication again, also of jobs that are over by
	// then, as a queue without a deadline would.
	Insist bool
	// Trace is told each step, if set.
	Trace func(line string)
	// Progress is called every few thousand events, if set.
	Progress func(Progress)
	// MaxEvents ends a simulation that does not come to rest. Default 400 per
	// minion and job, at least 20 million.
	MaxEvents int

	sabotage sabotage
	meddle   meddler
}

// Progress is how far a simulation has come.
type Progress struct {
	Events  int           // so far
	Now     time.Duration // virtual time
	Waiting int           // events that are planned
}

// uncertain tells whether messages may get lost.
func (o *Options) uncertain() bool {
	return o.meddle != nil || o.Faults.any() || o.Faults.Hostile.any()
}

// Costs is the time that a node's work takes on its machine.
type Costs struct {
	Return    time.Duration // to take one return of a minion, stored
	Hop       time.Duration // to take one return from a node below, stored
	Subscribe time.Duration // to hand a publication to one subscriber
}

// MeasuredCosts are those that the planner reckons with, for nodes of so many
// processors.
func MeasuredCosts(cores int) Costs {
	ret, hop, sub := plan.Measured().Service(cores)
	return Costs{Return: ret, Hop: hop, Subscribe: sub}
}

// sabotage breaks the world on purpose, to show that [World.Check] notices. Only
// tests of this package can set it.
type sabotage struct {
	skipDedupe func() bool // a return that is known counts as new
	forget     func() bool // an expectation does not reach the ledger
	ackEarly   func() bool // a minion's return is acknowledged before the commit
	deafStart  bool        // after a restart the open jobs are not taken up
	keepSilent bool        // after a reconnect the expectations are not told again
	noRepeat   bool        // missed publications are not given again
	// forgetClosed: that minions are missing is not told again once the job is
	// closed at the node that found it. ackUnbooked: what a node below tells of a
	// job is acknowledged before it is stored.
	forgetClosed, ackUnbooked bool
	fullFails                 bool // a full outbox is answered as a handler that failed
	oneIsEnough               bool // a return that one parent has is not kept for another that asked
	tellAll                   bool // a parent that did not ask for a job hears who has to answer it
	forgetOwed                bool // a restart forgets that the returns from before are to be given
	lateCount                 bool // returns that were there before their job are not counted
	notAgain                  bool // a parent that asks later is not given what is there already
	forgetAskers              bool // a restart forgets which parents asked
	oneHasHeard               bool // the end of a job counts as heard when one of the parents that asked has it
	runAgain                  bool // neither node nor minion knows a job that comes a second time
	wholeUp                   bool // whole results go up where digests are asked for
	quietReturn               bool // a minion that goes home does not say that it comes back
	twoDeliver                bool // a minion that moves hears of its returns from the node that it leaves
	deliverFirst              bool // a minion that moves delivers before its announcement was taken
	adoptNothing              bool // a node does not answer for what a minion works on that comes
	oweOne                    bool // returns of a job that nobody asked a node for are owed to one parent
	movedIsPlain              bool // that a minion has moved is no more than that a node counts it
	wholeStory                bool // what is known of guests is told again as all that a node has
	hearLate                  bool // what a node has given up is heard when it comes late
	believeNodes              bool // a node speaks for whom it likes
	anyName                   bool // a minion returns in whose name it likes
	anyNode                   bool // whoever likes speaks as a node
	trustWall                 bool // what is old is removed by the wall clock
	keepHeard                 bool // a node that restarts is not given again what it took before
}

// moves tells whether minions may move.
func (o *Options) moves() bool { return o.Rehome > 0 && o.Faults.any() }

func hit(f func() bool) bool { return f != nil && f() }

func (o *Options) fill() error {
	if len(o.Shape.Parents) == 0 {
		return fmt.Errorf("simulate: no shape")
	}
	if err := o.Shape.validate(); err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	if len(o.Jobs) == 0 {
		o.Jobs = []Job{{}}
	}
	var last time.Duration
	for i := range o.Jobs {
		j := &o.Jobs[i]
		if j.Fun == "" {
			j.Fun = "test.ping"
		}
		if j.Part <= 0 || j.Part > 1 {
			j.Part = 1
		}
		if j.Run == (Dist{}) {
			j.Run = Dist{Min: 5 * time.Millisecond, Max: 30 * time.Millisecond}
		}
		if j.Slices < 0 || j.Slices > 1 && (j.Queue > 0 || j.Every < 0) {
			return fmt.Errorf("simulate: job %d: a number of slices is not negative, and a queued job has one", i)
		}
		if err := j.Batch.validate(*j); err != nil {
			return fmt.Errorf("simulate: job %d: %w", i, err)
		}
		if o.Insist { // the rows have to be those of any other schedule
			j.Batch.Failhard, j.Batch.Stop = false, 0
		}
		if j.Top < 0 || j.Twice < 0 || j.Queue < 0 {
			return fmt.Errorf("simulate: job %d: a top is counted from 0, the second comes after the first, and a deadline after both", i)
		}
		last = max(last, j.At+j.Twice+time.Duration(max(j.Slices-1, 0))*j.Every)
	}
	m := o.Minions
	for name, share := range map[string]float64{
		"dead": m.Dead, "silent": m.Silent, "slow": m.Slow, "untracked": m.Untracked, "loss": o.Faults.Loss,
		"all kinds of minions together": m.Dead + m.Silent + m.Slow + m.Untracked,
	} {
		if share < 0 || share > 1 {
			return fmt.Errorf("simulate: %s: the share is %v, must be from 0 to 1", name, share)
		}
	}
	if o.Faults.Loss > 0.9 {
		return fmt.Errorf("simulate: a loss of %v lets nothing through; at most 0.9", o.Faults.Loss)
	}
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	if o.Edge == (Dist{}) {
		o.Edge = Dist{Min: time.Millisecond, Max: 2 * time.Millisecond}
	}
	if o.Leaf == (Dist{}) {
		o.Leaf = Dist{Min: 500 * time.Microsecond, Max: time.Millisecond}
	}
	if o.Faults.For == (Dist{}) {
		o.Faults.For = Dist{Min: 100 * time.Millisecond, Max: 20 * time.Second}
	}
	def(&o.Faults.Within, last+5*time.Second)
	def(&o.Gather, 500*time.Millisecond)
	def(&o.Timeout, 5*time.Second)
	def(&o.Lease, 5*time.Second)
	def(&o.Heartbeat, 3*time.Second)
	def(&o.Failback, time.Minute)
	o.Bounds = o.Bounds.OrDefault()
	if o.Faults.Moves > 0 {
		def(&o.Rehome, 2*time.Second)
	}
	if o.Costs == (Costs{}) {
		o.Costs = MeasuredCosts(2)
	}
	if o.MaxEvents <= 0 {
		o.MaxEvents = max(20_000_000, 400*o.Shape.Total()*len(o.Jobs))
	}
	return nil
}
