package sim

import (
	"errors"
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
	// Part is the share of the minions that the target matches, spread evenly. 0 and 1 both
	// mean all.
	Part float64
	Run  Dist // run time at a minion
	Size int  // bytes of the result; 0: the text true
	// Fail is the share of minions whose return has a failure.
	Fail float64
	// Odd is the share of minions whose return is deeply nested or has no result, as stock
	// minions may send it.
	Odd float64
	// Top is the index of the top that publishes it. If Twice is above zero, the next top
	// publishes it too, that much later, under the same jid.
	Top   int
	Twice time.Duration
	// Queue, if above zero, is how long the job is delivered to minions and nodes that come
	// back, even after it has ended for all others.
	Queue time.Duration
	// Slices, if above 1, is the number of publications of the job under one job id, as for a
	// batch. Each targets other minions, and goes out Every after the last was accepted.
	Slices int
	Every  time.Duration
	// Batch makes the top publish the job in slices, to a few minions at a time.
	Batch Batch

	invented bool // never published: see Hostile.Floods
}

// Minions describes the population. The shares refer to all minions and exclude each other; the
// remaining minions answer normally.
type Minions struct {
	Dead   float64 // never connected
	Silent float64 // no presence, receive jobs, never answer
	Slow   float64 // take SlowBy longer
	SlowBy time.Duration
	// Untracked minions do not report presence (Python): the master asks them by find_job.
	Untracked float64
}

// Faults says what goes wrong. All faults end before the simulation does.
type Faults struct {
	// Loss is the share of requests, answers and returns that are lost.
	Loss float64
	// Kills is how many times a node is killed between two events. Crashes is how many times
	// one is killed while handling an event, such as between commit and acknowledgement.
	Kills, Crashes int
	// Partitions is how many links are cut both ways, OneWay how many one way.
	Partitions, OneWay int
	// TopCuts is how many times two tops of a cluster cannot reach each other: two of three both
	// ways, the others one way.
	TopCuts int
	// Drops is how many single minions lose their connection.
	Drops int
	// Moves is how many single minions move to a sibling although their node is alive: half
	// of them are asked to, the others cannot reach it.
	Moves int
	// Sick is how many times a disk rejects writes for a while. Half of these end with the
	// death of the node.
	Sick int
	// Lag is how many times a disk takes seconds for each commit for a while. In two of three
	// cases the node is killed at the end or before.
	Lag int
	// Repeat is the share of requests that the transport sends twice.
	Repeat float64
	// Clocks is how many times the wall clock of a node jumps by 26 hours, most of them
	// ahead: for a second, a minute or 30 hours. Jobs are then kept for a day.
	Clocks int
	// Turned is how many times the key of a node is accepted anew at a parent where the minion
	// of the same machine uses it first: the node is refused until an operator admits it. It
	// has no effect if minions move.
	Turned int
	// Hostile counts attacks by accepted peers. It has no effect if minions move.
	Hostile Hostile
	// Within is the time span in which faults begin. Default: until 5 s after the last
	// publication.
	Within time.Duration
	// For is the duration of each fault. Default 100ms..20s.
	For Dist
}

// any reports whether messages may get lost or late. Hostile peers and clocks do neither.
func (f Faults) any() bool {
	return f.Loss > 0 || f.Kills+f.Crashes+f.Partitions+f.OneWay+f.TopCuts+f.Drops+f.Moves+f.Sick+f.Lag+f.Turned > 0 || f.Repeat > 0
}

// loud returns the faults without hostile peers, clocks and turned keys.
func (f Faults) loud() Faults {
	f.Hostile, f.Clocks, f.Turned = Hostile{}, 0, 0
	return f
}

// Options configure a [World]. Zero values mean the defaults.
type Options struct {
	Shape   Shape
	Seed    uint64
	Salt    uint64 // gives other schedules for the same seeds
	Jobs    []Job  // default: one test.ping to all at 0 s
	Minions Minions
	Faults  Faults
	// Namesakes gives nodes the ids of minions of the nodes above them, like a syndic and the
	// minion of its host.
	Namesakes bool
	// Edge and Leaf are the one-way latencies between nodes, and between a node and a
	// minion. Default 1ms..2ms and 500us..1ms.
	Edge, Leaf Dist
	// WAN describes the links below the tops, SQL the database that the tops share.
	WAN WAN
	SQL SQL
	// Cluster makes the tops share their jobs, as with cluster_peers.
	Cluster bool
	// Gather is syndic_event_forward_timeout. Default 500 ms.
	Gather time.Duration
	// Timeout and Lease are those of the ledger. Default 5 s each.
	Timeout, Lease time.Duration
	// Rehome is rehome_after: minions whose node is gone for that long, and up to twice
	// that, move to a sibling. 0: they wait; with Faults.Moves the default is 2 s.
	// Failback is rehome_failback. Default 60 s.
	Rehome, Failback time.Duration
	// Heartbeat is how long the two ends of a cut link take to notice. Default 3 s.
	Heartbeat time.Duration
	// Costs is the processor time of a node's work. Default: [MeasuredCosts] of two
	// processors.
	Costs Costs
	// OutboxRows bounds each outbox; 0: no bound.
	OutboxRows int64
	// Bounds are the bounds of each node. Unset ones have the defaults of production.
	Bounds bounds.Bounds
	// Body is syndic_forward_returns: which part of a return is sent up.
	Body returns.Body
	// Narrow is the share of nodes that accept less deeply nested values than the others,
	// Older that of nodes that refuse a whole request if they cannot read a part of it.
	Narrow, Older float64
	// Strict is the share of nodes that accept signed returns only. Unsigned is the share of
	// minions that do not sign, or sign with another key.
	Strict, Unsigned float64
	// Insist sends every missed publication again, also of jobs that have ended, like a queue
	// without a deadline.
	Insist bool
	// Trace, if set, is called for each step.
	Trace func(line string)
	// Progress, if set, is called every few thousand events.
	Progress func(Progress)
	// MaxEvents ends a simulation that does not come to rest. Default 400 per
	// minion and job, at least 20 million.
	MaxEvents int

	sabotage sabotage
	meddle   meddler
}

// Progress is the progress of a simulation.
type Progress struct {
	Events  int           // so far
	Now     time.Duration // virtual time
	Waiting int           // events in the queue
}

// uncertain reports whether messages may get lost.
func (o *Options) uncertain() bool {
	return o.meddle != nil || o.faulty() || o.Faults.Hostile.any()
}

// faulty reports whether messages may get lost or late.
func (o *Options) faulty() bool { return o.Faults.any() || o.WAN.Lost > 0 }

// Costs is the processor time that a node spends.
type Costs struct {
	Return    time.Duration // to store a minion's return
	Hop       time.Duration // to store a return from a child
	Subscribe time.Duration // to send a publication to one subscriber
}

// MeasuredCosts returns the costs that the planner assumes for nodes with so many processors.
func MeasuredCosts(cores int) Costs {
	ret, hop, sub := plan.Measured().Service(cores)
	return Costs{Return: ret, Hop: hop, Subscribe: sub}
}

// sabotage breaks the world on purpose, to show that [World.Check] notices. Only
// tests of this package can set it.
type sabotage struct {
	skipDedupe func() bool // a known return counts as new
	forget     func() bool // an expectation does not reach the ledger
	ackEarly   func() bool // a minion's return is acknowledged before the commit
	deafStart  bool        // a restart does not restore open jobs
	keepSilent bool        // a reconnect does not report expectations again
	noRepeat   bool        // missed publications are not sent again
	// forgetClosed does not repeat missing minions once the job is closed at the node that
	// found them. ackUnbooked acknowledges reports of a child before they are stored.
	forgetClosed, ackUnbooked bool
	fullFails                 bool // a full outbox is answered like a failed handler
	oneIsEnough               bool // a return accepted by one parent is not kept for another that requested it
	reportToAll               bool // a parent that did not request a job gets its reports
	forgetBackfills           bool // a restart forgets that stored returns must be queued for a parent
	lateCount                 bool // returns stored before their job are not counted
	notAgain                  bool // a parent that requests a job later does not get the stored returns
	forgetAskers              bool // a restart forgets which parents requested a job
	oneHasHeard               bool // the end of a job counts as accepted once one parent has accepted it
	runAgain                  bool // nodes and minions do not recognize a repeated job
	wholeUp                   bool // whole results are sent up where digests are configured
	quietReturn               bool // a minion that goes home does not announce it
	twoDeliver                bool // a minion that moves accepts acknowledgements of the node that it leaves
	deliverFirst              bool // a minion that moves sends returns before its announcement is answered
	adoptNothing              bool // a node does not expect the jobs that an arriving minion runs
	queueForOne               bool // returns of a job that no parent requested are queued for one parent
	movedIsPlain              bool // an expectation of a moved minion is treated like any other
	completeReports           bool // repeated expectations of guests claim to be complete
	hearLate                  bool // reports that the child gave up on are processed when they arrive late
	believeNodes              bool // nodes may speak for any minion
	anyName                   bool // minions may return in any name
	anyNode                   bool // any peer may act as a node
	trustWall                 bool // ages are counted by the wall clock
	shareNothing              bool // a top does not pass its jobs to the others
	keepHeard                 bool // a restarted node does not get earlier publications again
}

// moves reports whether minions may move.
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
			return fmt.Errorf("simulate: job %d: slices must not be negative, and a queued job cannot have several", i)
		}
		if err := j.Batch.validate(*j); err != nil {
			return fmt.Errorf("simulate: job %d: %w", i, err)
		}
		if o.Insist { // the rows must not depend on the schedule
			j.Batch.Failhard, j.Batch.Stop = false, 0
		}
		if j.Top < 0 || j.Twice < 0 || j.Queue < 0 {
			return fmt.Errorf("simulate: job %d: top, delay of the second publication and deadline must not be negative", i)
		}
		last = max(last, j.At+j.Twice+time.Duration(max(j.Slices-1, 0))*j.Every)
	}
	if err := errors.Join(o.validateCluster(), o.WAN.validate(o.Shape), o.SQL.validate()); err != nil {
		return err
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
		return fmt.Errorf("simulate: loss is %v, must be at most 0.9", o.Faults.Loss)
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
