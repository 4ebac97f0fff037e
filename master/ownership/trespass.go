package ownership

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/logs"
)

// The kinds of trespass, as in events and metrics.
const (
	OfReturn      = "return"      // a return of a minion that the sender does not speak for
	OfJob         = "job"         // a return of a minion that the job did not target
	OfEntry       = "entry"       // an unreadable return
	OfExpectation = "expectation" // an expectation for minions that the sender does not speak for
	OfEvent       = "event"       // an event in another's name
	OfNode        = "node"        // a minion that acts as a syndic
	OfHome        = "home"        // an invalid failover claim of a node
	OfReplay      = "replay"      // a request that was served before
	OfUnusable    = "unusable"    // a return that can never be accepted; an error is stored in its place
	OfRecord      = "record"      // another job under the jid of a stored one
	OfMine        = "mine"        // mine data that is too large, or of others and not allowed
	OfPeer        = "peer"        // a job or runner that it may not start
	OfQuota       = "quota"       // more bytes than a minion may send in a day
	OfResource    = "resource"    // a resource of Salt 3008 that it does not manage, or a return for one
	OfUnproven    = "unproven"    // a return not accepted yet: another node is known to have the minion
)

// kinds lists all kinds.
var kinds = []string{OfReturn, OfJob, OfEntry, OfExpectation, OfEvent, OfNode, OfHome, OfReplay, OfUnproven, OfUnusable, OfRecord, OfMine, OfPeer, OfQuota, OfResource}

// Trespass is a refused action of an accepted peer.
type Trespass struct {
	Kind string
	Path string // who did it
	ID   string // the minion or node concerned, or ""
	JID  string // the job concerned, or ""
	Err  error
}

// maxText bounds each text of a refusal in the log and on the bus, in bytes.
const maxText = 1000

func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// short returns x with bounded texts.
func (x Trespass) short() Trespass {
	x.Path, x.ID, x.JID = cut(x.Path), cut(x.ID), cut(x.JID)
	if text := x.Err.Error(); len(text) > maxText {
		x.Err = errors.New(cut(text))
	}
	return x
}

// Trespasses counts refusals and limits their logging.
type Trespasses struct {
	mu     sync.Mutex
	kinds  map[string]uint64
	recent logs.Throttle[[2]string] // by kind and path
}

// NewTrespasses returns counters at zero.
func NewTrespasses() *Trespasses {
	t := &Trespasses{kinds: map[string]uint64{}}
	for _, kind := range kinds {
		t.kinds[kind] = 0
	}
	return t
}

// Note counts a refusal. If n > 0 it should be logged, for the n refusals since the last one logged.
func (t *Trespasses) Note(x Trespass, now time.Time) (n uint64) {
	t.mu.Lock()
	t.kinds[x.Kind]++
	t.mu.Unlock()
	return t.recent.Note([2]string{x.Kind, x.Path}, now)
}

// Counts returns the number of refusals of every kind.
func (t *Trespasses) Counts() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.kinds)
}
