package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/topology"
)

// dest is the outbox destination of rows for the parents.
const dest = returners.DestAbove

// node is a master of the tree with its forwarder.
type node struct {
	w       *World
	idx     int32
	id      string
	depth   int
	ups     []*link   // to the masters above, in the order of syndic_failover; none at a top
	downs   []*link   // to the nodes right below
	lo      int       // index of its first minion in World.ids
	minions []minion  // its own
	work    [][]state // by job, then by minion

	// On disk, survives a restart.
	disk    *disk
	pubs    []*job        // its publications, by serial
	kept    map[*job]bool // publications kept for peers that missed them
	foreign map[*job]bool // jobs that another top publishes
	onDisk  map[string]*batchstate.State
	origins map[string][]*link // which parents requested a job
	guard   *guard             // who may speak for whom; nil: no hostile peers
	skew    time.Duration      // how far the wall clock is ahead

	// State of this life.
	alive   bool
	life    uint32
	engine  *engine.Engine
	jobs    *jobstore.Store
	ages    *timing.Clock // nil: the wall clock does not jump
	cleaner *jobstore.Cleaner
	queues  *retention.Queues // nil: no job is queued
	tree    *topology.Tree
	batches map[string]*driven         // driven by this node
	guests  []*visit                   // minions of siblings that are here, or were last
	brought map[string]map[string]bool // by minion: the jobs that it ran when it connected
	inbox   []arrival                  // returns of its minions that wait for the commit
	busy    bool                       // a commit is running
	free    int64                      // when its processor is free
	saving  bool                       // a commit of reports is scheduled
	starts  map[string]func()
	begins  map[string]*job   // by jid: the last publication
	skipped string            // the job that was known already, and was not published
	nonces  *admission.Nonces // requests with reports that were received
	again   map[*admission.Outcome][]func(wire.Raw, error)
	way     *forwarder
	order   *sequence.Life // numbers its reports to the parents
	gate    *sequence.Gate // orders the reports of the children

	observed
	stats    nodeStats
	sink     sink              // of a top, to the database
	waitsFor map[string]string // at the end, by open job
}

func (w *World) newNode(i, lo, hi int, parents []int) *node {
	n := &node{
		w: w, idx: int32(i), id: "top", lo: lo, origins: map[string][]*link{}, kept: map[*job]bool{}, foreign: map[*job]bool{}, onDisk: map[string]*batchstate.State{}, batches: map[string]*driven{},
	}
	if i > 0 {
		n.id = fmt.Sprintf("n%d", i)
	}
	for _, p := range parents {
		above := w.nodes[p]
		l := &link{w: w, child: n, parent: above, dest: returners.DestParent(above.id), road: w.newRoad(above), backfills: map[string]struct{}{}, acknowledged: map[string]bool{}, silent: map[string]bool{}}
		n.ups, above.downs, w.links = append(n.ups, l), append(above.downs, l), append(w.links, l)
		n.depth = max(n.depth, above.depth+1)
	}
	if id, ok := w.namesake(n); ok {
		n.id = id
	}
	if len(n.ups) == 0 {
		w.tops = append(w.tops, n)
	}
	n.disk = &disk{Store: memory.Open(n.wall), n: n}
	n.disk.AgeBy(n.aged)
	if (w.o.Faults.Hostile.any() || w.o.Faults.Turned > 0) && !w.o.moves() {
		n.guard = newGuard(n)
	}
	n.said = make([]said, len(w.jobs))
	n.minions = make([]minion, hi-lo)
	n.work = make([][]state, len(w.jobs))
	for m := range n.minions {
		n.minions[m] = minion{n: n, i: int32(m)}
	}
	for j := range n.work {
		n.work[j] = make([]state, hi-lo)
	}
	w.nodes = append(w.nodes, n)
	return n
}

// boot begins a life. If settled is set, its peers are connected already, as at the start of the
// world.
func (n *node) boot(settled bool) {
	w := n.w
	n.alive = true
	n.life++
	n.order, n.gate = sequence.NewLife(w.clock()), &sequence.Gate{}
	n.starts, n.begins = map[string]func(){}, map[string]*job{}
	n.nonces, n.again = admission.NewNonces(), map[*admission.Outcome][]func(wire.Raw, error){}
	n.inbox, n.saving, n.busy, n.free = nil, false, false, w.now
	n.brought = map[string]map[string]bool{}
	n.openAges()
	n.engine = n.newEngine()
	n.openQueues()
	parent := ""
	if len(n.ups) > 0 {
		parent = dest
		n.forward()
	}
	n.jobs = jobstore.New(jobstore.Options{
		Local: n.disk, Parent: parent, MaxRows: w.o.OutboxRows, Bounds: w.o.Bounds, Log: w.log, Now: n.wall, Keep: keepJobs, Age: n.ages, Busy: n.unfinished,
	})
	n.cleaner = n.jobs.Cleaner()
	former := n.tree
	n.tree = topology.NewTree(topology.Node{ID: n.id, Role: "syndic"}, w.clock)
	for m := range n.minions {
		st := topology.Down
		if mn := &n.minions[m]; settled && mn.kind() != dead {
			mn.connected = true
			if mn.tracked() {
				n.guard.fix(mn.id(), roles.Minion)
			}
		}
		if n.minions[m].connected {
			st = topology.Up
		}
		n.tree.SetMinion(topology.Minion{ID: n.minionID(m), State: st})
	}
	for _, l := range n.downs {
		if !settled {
			n.rememberNode(former, l.child.id)
			n.tree.SetNodeState(l.child.id, topology.Down)
			continue
		}
		l.settle()
		n.guard.fix(l.child.id, roles.Syndic)
		n.claim(l.child.tree.Snapshot())
	}
	if settled {
		return
	}
	w.trace(n, "starts")
	clear(n.kept)
	for _, jid := range n.noted(returners.NoteOpen) {
		for _, s := range n.here(w.byJID[jid]) {
			n.kept[s] = true
		}
	}
	n.restore()
	n.takeUpBatches()
	for m := range n.minions {
		if mn := &n.minions[m]; mn.kind() != dead {
			mn.reconnectSoon()
		}
	}
	for _, v := range n.guests {
		v.m.reconnectSoon()
	}
	for _, l := range slices.Concat(n.downs, n.ups) {
		l.reconnectSoon()
	}
	n.runEffects()
}

// kill ends a life abruptly; the next one begins after d.
func (w *World) kill(n *node, d int64) {
	if !n.alive {
		return
	}
	w.faults++
	w.trace(n, "is killed, for %.3f s", float64(d)/1e9)
	n.halt()
	n.forgetUnreported()
	for m := range n.minions {
		n.minions[m].connected = false
		n.minions[m].seekSoon()
	}
	for _, v := range n.guests {
		v.disconnect()
		v.seekSoon()
	}
	for _, l := range slices.Concat(n.downs, n.ups) {
		l.cutOff()
	}
	w.after(d, func() { n.boot(false) })
}

func (n *node) halt() {
	n.alive = false
	n.life++
	n.engine.Close()
	if err := n.jobs.Close(); err != nil {
		panic(err) // it has nothing to close
	}
	for _, l := range n.ups {
		l.halt()
	}
}

func (n *node) minionID(m int) string { return n.w.ids[n.lo+m] }

// spend occupies the processor for d and returns the wait until that work is done.
func (n *node) spend(d int64) int64 {
	n.free = max(n.free, n.w.now) + d
	n.stats.busy += d
	return n.free - n.w.now
}
