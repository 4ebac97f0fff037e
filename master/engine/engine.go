package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Storage reads committed state. Its methods may block.
type Storage interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
	GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
	Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
}

// Config configures an [Engine].
type Config struct {
	// Account configures the ledger.
	Account AccountConfig
	Storage Storage
	// Parent is true if this node has masters above it, which must receive the ends of jobs.
	Parent bool
	// Bounds limits the queue of records (word_queue, word_batch), the unreported ends of jobs,
	// and the size of a report.
	Bounds bounds.Bounds
	// Timeout applies to adopted jobs (Salt's `timeout`).
	Timeout time.Duration
	// Resources returns the resources that a minion manages, and Manager the minion that manages a
	// resource, or "". A resource shares the presence of its minion. nil: no resources.
	Resources func(minion string) []string
	Manager   func(id string) string
	// Now returns the timestamp of stored rows.
	Now func() time.Time
	// Done is closed when the master shuts down. It ends WaitRoom and WaitStored. nil: never.
	Done <-chan struct{}
	// Unreported lists the closed jobs whose end the masters above may not have received, and Open
	// the jobs marked as open. Both come from the store and survive a restart.
	Unreported, Open []string
}

// Engine tracks the jobs of one node. It is safe for concurrent use, but only one goroutine may
// carry out effects: the effects of a job must run in order.
type Engine struct {
	cfg     Config
	*ledger // queries and changes of presence are promoted

	awake   chan struct{} // Ready or NextSave has work
	unsaved chan struct{} // the queue of records is not empty
	waits   storedWaits

	mu         sync.Mutex
	effects    []Effect
	found      []finding // from the ledger, not yet converted to effects
	records    records   // not yet stored
	open       map[string]struct{}
	kept       map[string]map[int]bool // stored publications by jid and part; true: queued, so kept after the end of the job
	unreported unreported
	reporting  map[string]int       // jobs with reports in progress, which may follow their end
	arriving   map[string]*arrivals // by jid
}

// finding is one call of a ledger hook.
type finding struct {
	jid   string
	gone  map[string]jobevent.Absence
	nodes map[string]jobevent.NodeState
	then  Effect
}

// New returns an engine without jobs. [Engine.Restore] restores those of a previous run.
func New(cfg Config) *Engine {
	cfg.Bounds = cfg.Bounds.OrDefault()
	e := &Engine{
		cfg: cfg, awake: make(chan struct{}, 1), unsaved: make(chan struct{}, 1), records: newRecords(cfg.Bounds), open: map[string]struct{}{}, kept: map[string]map[int]bool{},
		unreported: newUnreported(cfg.Bounds.UnreportedJobs, cfg.Unreported), reporting: map[string]int{}, arriving: map[string]*arrivals{},
	}
	for _, jid := range cfg.Open {
		e.open[jid] = struct{}{}
	}
	cfg.Account.Hooks = Hooks{
		Complete: func(a Account) { e.find(finding{jid: a.JID, then: Complete{a}}) },
		Missing: func(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) {
			e.find(finding{jid: jid, gone: gone, nodes: nodes})
		},
		FindJob: func(jid string, ids []string) { e.find(finding{jid: jid, then: FindJob{jid, e.managers(ids)}}) },
		Rescued: func(jid, id, reason string, since time.Duration) {
			e.find(finding{jid: jid, then: Rescued{jid, id, reason, since}})
		},
		TakeOver: func(jid string, nodes []string) { e.find(finding{jid: jid, then: TakeOver{jid, nodes}}) },
	}
	e.ledger = newLedger(cfg.Account)
	return e
}

// Close stops the ledger's timers. Records not yet stored are lost.
func (e *Engine) Close() { e.ledger.close() }

// change runs alter with e.mu held and wakes the run loop.
func (e *Engine) change(alter func()) {
	e.mu.Lock()
	alter()
	e.mu.Unlock()
	ring(e.awake)
}

func (e *Engine) find(f finding) { e.change(func() { e.found = append(e.found, f) }) }

func (e *Engine) enqueueNow(effects ...Effect) {
	e.change(func() { e.effects = append(e.effects, effects...) })
}

// Ready returns the pending effects in order and removes them. Call it after each input and after
// each timer of the ledger.
func (e *Engine) Ready() []Effect {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drainFindings()
	out := e.effects
	e.effects = nil
	return out
}

// drainFindings converts findings to records and effects. The ledger visits jobs in no fixed
// order; the findings of one job keep theirs. The caller holds e.mu.
func (e *Engine) drainFindings() {
	fs := e.found
	e.found = nil
	slices.SortStableFunc(fs, func(a, b finding) int { return cmp.Compare(a.jid, b.jid) })
	for _, f := range fs {
		if f.then != nil {
			if _, ends := f.then.(Complete); ends {
				e.enqueue(f.jid, f.then)
				e.records.end(f.jid, false)
			} else {
				e.effects = append(e.effects, f.then)
			}
			continue
		}
		e.enqueue(f.jid, Missed{f.jid, f.gone, f.nodes}, SendReport{Word: jobevent.Missing{JID: f.jid, Minions: f.gone, Nodes: f.nodes}})
		last := anyDequeued(f.gone)
		for _, x := range absenceRows(f.jid, f.gone, f.nodes, e.cfg.Now()) {
			e.records.put(record{row: x, unrepeatable: last})
		}
	}
}

// anyDequeued reports whether gone ends the queueing of the job for any minion.
func anyDequeued(gone map[string]jobevent.Absence) bool {
	for _, g := range gone {
		if g.Reason == Expired || g.Reason == Dequeued {
			return true
		}
	}
	return false
}
