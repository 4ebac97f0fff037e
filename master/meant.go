package master

import (
	"sync"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// meant remembers the targets of jobs that name minions by their ids alone
// (glob, pcre, list). For these it is certain whom a job was for; a return of
// anybody else is refused. What other targets mean only the minion knows.
type meant struct {
	mu    sync.RWMutex
	exprs map[string]target.Expr
	order []string // a ring
	next  int
}

// maxMeant bounds the jobs that are remembered; of older ones, and of jobs that
// were never sent from here (salt-call, schedules, another top), every return is
// taken, as by Salt.
const maxMeant = 4096

func newMeant() *meant { return &meant{exprs: map[string]target.Expr{}} }

func (t *meant) note(jid, tgtType string, expr target.Expr) {
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

// excludes tells whether a job was certainly not for a minion.
func (t *meant) excludes(jid, id string) bool {
	t.mu.RLock()
	expr := t.exprs[jid]
	t.mu.RUnlock()
	return expr != nil && !expr.Match(target.ID(id))
}

// noteStored remembers the target of a job that was started in an earlier life,
// from its stored load.
func (t *meant) noteStored(jid string, load wire.Raw) {
	if expr, tgtType, err := storedTarget(load); err == nil {
		t.note(jid, tgtType, expr)
	}
}

// storedTarget reads whom a stored load means.
func storedTarget(load wire.Raw) (expr target.Expr, tgtType string, err error) {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return nil, "", err
	}
	tgt, _ := d.Get("tgt")
	if tgtType = d.String("tgt_type"); tgtType == "" {
		tgtType = "glob"
	}
	expr, err = target.Parse(tgt, tgtType, target.Options{})
	return expr, tgtType, err
}
