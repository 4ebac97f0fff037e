package ownership

import (
	"sync"

	"github.com/momtree/mom/internal/target"
)

// Meant remembers the targets of jobs that name minions by their ids alone
// (glob, pcre, list). For these it is certain whom a job was for; a return of
// anybody else is refused. What other targets mean only the minion knows.
type Meant struct {
	mu    sync.RWMutex
	exprs map[string]target.Expr
	order []string // a ring
	next  int
}

// maxMeant bounds the jobs that are remembered; of older ones, and of jobs that
// were never sent from here (salt-call, schedules, another top), every return is
// taken, as by Salt.
const maxMeant = 4096

// NewMeant remembers nothing yet.
func NewMeant() *Meant { return &Meant{exprs: map[string]target.Expr{}} }

// Note remembers the target of a job, if it is of such a kind.
func (t *Meant) Note(jid, tgtType string, expr target.Expr) {
	switch tgtType {
	case "glob", "pcre", "list":
	default:
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.exprs[jid]; known {
		return
	}
	t.exprs[jid] = expr
	if len(t.order) < maxMeant {
		t.order = append(t.order, jid)
		return
	}
	delete(t.exprs, t.order[t.next])
	t.order[t.next] = jid
	t.next = (t.next + 1) % maxMeant
}

// Excludes tells whether a job was certainly not for a minion.
func (t *Meant) Excludes(jid, id string) bool {
	t.mu.RLock()
	expr := t.exprs[jid]
	t.mu.RUnlock()
	return expr != nil && !expr.Match(target.ID(id))
}
