package ownership

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/logthrottle"
)

// The kinds of trespass, as events and figures name them.
const (
	OfReturn      = "return"      // of a minion that the sender does not answer for
	OfJob         = "job"         // a return of a job that was not meant for its minion
	OfEntry       = "entry"       // what cannot be read as a return
	OfExpectation = "expectation" // who has to answer, told by one who does not know
	OfEvent       = "event"       // an event in another's name
	OfNode        = "node"        // a minion that speaks as a syndic
	OfHome        = "home"        // a node that claims to be a home for others in a way that cannot be
	OfReplay      = "replay"      // a request that was served before
	OfUnusable    = "unusable"    // a return that can never be taken; an error is stored in its place
	OfRecord      = "record"      // another job under the jid of one that is stored
	OfMine        = "mine"        // more of the mine than there may be, or of others' than it may see
	OfPeer        = "peer"        // a job or a runner that it may not have started
	OfQuota       = "quota"       // more bytes than one minion may bring in a day
	OfResource    = "resource"    // a resource of Salt 3008 that it does not manage, or a return for one
	OfUnproven    = "unproven"    // a return that is not taken yet: another node is known to have the minion
)

// Kinds lists them, for the values of a label.
var Kinds = []string{OfReturn, OfJob, OfEntry, OfExpectation, OfEvent, OfNode, OfHome, OfReplay, OfUnproven, OfUnusable, OfRecord, OfMine, OfPeer, OfQuota, OfResource}

// Trespass is something an accepted peer did that it may not do.
type Trespass struct {
	Kind string
	Path string // who did it
	ID   string // the minion or node it is about; "": nobody in particular
	JID  string // "": no job in particular
	Err  error
}

// maxTold is how much of what a peer has sent is logged and told on the bus, in bytes of each
// of its words.
const maxTold = 1000

func cut(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return strings.ToValidUTF8(text[:maxTold], "") + "…"
}

// short is what is told of it.
func (x Trespass) short() Trespass {
	x.Path, x.ID, x.JID = cut(x.Path), cut(x.ID), cut(x.JID)
	if text := x.Err.Error(); len(text) > maxTold {
		x.Err = errors.New(cut(text))
	}
	return x
}

// Trespasses counts them, and says when one is to be told.
type Trespasses struct {
	mu     sync.Mutex
	kinds  map[string]uint64
	recent logthrottle.Filter[[2]string] // by kind and path
}

// NewTrespasses makes counters at zero.
func NewTrespasses() *Trespasses {
	return &Trespasses{kinds: map[string]uint64{}}
}

// Note counts one. It is told if n is above 0: then n have happened since the
// last that was told.
func (t *Trespasses) Note(x Trespass, now time.Time) (n uint64) {
	t.mu.Lock()
	t.kinds[x.Kind]++
	t.mu.Unlock()
	return t.recent.Note([2]string{x.Kind, x.Path}, now)
}

// Counts gives the trespasses so far, by kind.
func (t *Trespasses) Counts() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.kinds)
}
