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

// Storage is what the engine reads of what was committed.
type Storage interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
	GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
	Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
}

// Config of an [Engine].
type Config struct {
	// Account sets up the account of each job.
	Account AccountConfig
	Storage Storage
	// Parent says that there are masters above, who have to hear the ends of jobs.
	Parent bool
	// Bounds: word_queue and word_batch of words to be stored, untold_jobs, tell_minions.
	Bounds bounds.Bounds
	// Timeout is that of a job that only a minion has brought (Salt's `timeout`).
	Timeout time.Duration
	// Resources lists the resources that a minion manages, and Manager the minion of one, ""
	// if there is none: what becomes of the minion becomes of its resources. nil: there are none.
	Resources func(minion string) []string
	Manager   func(id string) string
	// Now stamps what is stored.
	Now func() time.Time
	// Done is closed when the master begins to end: nobody waits for the disk then. nil: never.
	Done <-chan struct{}
	// Untold are the closed jobs of an earlier life of which the masters above may not
	// have heard the end; Open those that are marked as open.
	Untold, Open []string
}

// Engine is safe for concurrent use: each input and [Engine.Ready] may be called from
// any goroutine. The effects of one job come in the order in which they have to be
// carried out, so one goroutine at a time may carry effects out.
type Engine struct {
	cfg     Config
	*ledger // its questions and changes of presence are the engine's

	awake   chan struct{} // there is something to be done: Ready, or NextSave, has it
	unsaved chan struct{} // there are records to be stored
	waits   storedWaits

	mu      sync.Mutex
	effects []Effect
	found   []finding // by the ledger, and not looked at yet
	words   words     // to be stored
	open    map[string]struct{}
	kept    map[string]map[int]bool // by jid and part: publications that are stored; true: for as long as it is queued, beyond the end of its job
	untold  untold
	late    map[string]int       // jobs of which word is told that may come after their end
	coming  map[string]*arrivals // by job
}

// finding is what the ledger has told by a hook.
type finding struct {
	jid   string
	gone  map[string]jobevent.Absence
	nodes map[string]jobevent.NodeState
	then  Effect
}

// New makes an engine that knows of no job in this life. What an earlier one has left
// is taken up by [Engine.Restore].
func New(cfg Config) *Engine {
	cfg.Bounds = cfg.Bounds.OrDefault()
	e := &Engine{
		cfg: cfg, awake: make(chan struct{}, 1), unsaved: make(chan struct{}, 1), words: newWords(cfg.Bounds), open: map[string]struct{}{}, kept: map[string]map[int]bool{},
		untold: newUntold(cfg.Bounds.UntoldJobs, cfg.Untold), late: map[string]int{}, coming: map[string]*arrivals{},
	}
	for _, jid := range cfg.Open {
		e.open[jid] = struct{}{}
	}
	cfg.Account.Hooks = Hooks{
		Complete: func(a Account) { e.find(finding{jid: a.JID, then: Complete{a}}) },
		Missing: func(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) {
			e.find(finding{jid: jid, gone: gone, nodes: nodes})
		},
		FindJob: func(jid string, ids []string) { e.find(finding{jid: jid, then: Find{jid, e.managers(ids)}}) },
		Rescued: func(jid, id, reason string, since time.Duration) {
			e.find(finding{jid: jid, then: Rescued{jid, id, reason, since}})
		},
	}
	e.ledger = newLedger(cfg.Account)
	return e
}

// Close ends the timers of the account. What is not stored as yet is lost.
func (e *Engine) Close() { e.ledger.close() }

// change alters what there is to be done.
func (e *Engine) change(alter func()) {
	e.mu.Lock()
	alter()
	e.mu.Unlock()
	ring(e.awake)
}

func (e *Engine) find(f finding) { e.change(func() { e.found = append(e.found, f) }) }

func (e *Engine) put(effects ...Effect) {
	e.change(func() { e.effects = append(e.effects, effects...) })
}

// Ready gives what has to be done now, in this order, and takes it for done. Ask it
// after each input, and when a timer of the account has run.
func (e *Engine) Ready() []Effect {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.digest()
	out := e.effects
	e.effects = nil
	return out
}

// digest turns what the ledger has found into words and effects. The ledger looks at
// its jobs in no certain order; those of one stay in theirs. e.mu is held.
func (e *Engine) digest() {
	fs := e.found
	e.found = nil
	slices.SortStableFunc(fs, func(a, b finding) int { return cmp.Compare(a.jid, b.jid) })
	for _, f := range fs {
		if f.then != nil {
			if _, ends := f.then.(Complete); ends {
				e.tell(f.jid, f.then)
				e.words.end(f.jid, false)
			} else {
				e.effects = append(e.effects, f.then)
			}
			continue
		}
		e.tell(f.jid, Missed{f.jid, f.gone, f.nodes}, Tell{Word: jobevent.Missing{JID: f.jid, Minions: f.gone, Nodes: f.nodes}})
		last := endOfQueue(f.gone)
		for _, x := range absences(f.jid, f.gone, f.nodes, e.cfg.Now()) {
			e.words.put(record{x: x, last: last})
		}
	}
}

// endOfQueue tells whether minions are named for whom a job was queued until now.
func endOfQueue(gone map[string]jobevent.Absence) bool {
	for _, g := range gone {
		if g.Reason == Expired || g.Reason == Dequeued {
			return true
		}
	}
	return false
}

// absences are the rows of those who will not answer, one for each node they sit behind.
func absences(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState, at time.Time) []returners.Expectation {
	byPath := map[string]map[string]string{}
	for path := range nodes {
		byPath[path] = map[string]string{}
	}
	for id, g := range gone {
		if byPath[g.Path] == nil {
			byPath[g.Path] = map[string]string{}
		}
		byPath[g.Path][id] = g.Reason
	}
	out := make([]returners.Expectation, 0, len(byPath))
	for _, path := range sorted(byPath) {
		out = append(out, returners.Expectation{JID: jid, Node: path, Missing: byPath[path], State: string(nodes[path]), At: at})
	}
	return out
}
