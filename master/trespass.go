package master

import (
	"maps"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// The kinds of trespass, as events and figures name them.
const (
	trespassReturn      = "return"      // of a minion that the sender does not answer for
	trespassJob         = "job"         // a return of a job that was not meant for its minion
	trespassEntry       = "entry"       // what cannot be read as a return
	trespassExpectation = "expectation" // who has to answer, told by one who does not know
	trespassEvent       = "event"       // an event in another's name
	trespassNode        = "node"        // a minion that speaks as a syndic
	trespassReplay      = "replay"      // a request that was served before
	trespassUnproven    = "unproven"    // a return that is not taken yet: another node is known to have the minion
)

const (
	// trespassEvery is how often the same kind of the same sender is told.
	trespassEvery = 10 * time.Second
	// maxTrespassers bounds the senders that are remembered.
	maxTrespassers = 4096
)

// trespass is something an accepted peer did that it may not do.
type trespass struct {
	kind string
	path string // who did it
	id   string // the minion or node it is about; "": nobody in particular
	jid  string // "": no job in particular
	err  error
}

// trespasses counts them, and says when one is to be told.
type trespasses struct {
	mu     sync.Mutex
	kinds  map[string]uint64
	recent map[[2]string]*told // by kind and path
}

type told struct {
	at     time.Time
	untold uint64
}

func newTrespasses() *trespasses {
	return &trespasses{kinds: map[string]uint64{}, recent: map[[2]string]*told{}}
}

// note counts one. It is told if n is above 0: then n have happened since the
// last that was told.
func (t *trespasses) note(x trespass, now time.Time) (n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kinds[x.kind]++
	key := [2]string{x.kind, x.path}
	last := t.recent[key]
	if last == nil {
		if len(t.recent) >= maxTrespassers {
			clear(t.recent)
		}
		last = &told{}
		t.recent[key] = last
	}
	last.untold++
	if !last.at.IsZero() && now.Sub(last.at) < trespassEvery && !now.Before(last.at) {
		return 0
	}
	n, last.untold, last.at = last.untold, 0, now
	return n
}

func (t *trespasses) counts() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.kinds)
}

// trespassed counts what a peer was refused; the first of a kind and sender, and
// then one in ten seconds, is logged and told on the event bus, and so to the
// masters above.
func (m *Master) trespassed(x trespass) {
	m.stats.refused.Add(1)
	n := m.trespasses.note(x, m.now())
	if n == 0 {
		m.log.Debug("Refused", "what", x.kind, "path", x.path, "id", x.id, "jid", x.jid, "err", x.err)
		return
	}
	m.log.Warn("Refused", "what", x.kind, "path", x.path, "id", x.id, "jid", x.jid, "count", n, "err", x.err)
	m.fire("topology/refused", wire.NewMap("kind", x.kind, "path", x.path, "id", x.id, "jid", x.jid, "count", n, "reason", x.err.Error()))
}
