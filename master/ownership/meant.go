package ownership

import (
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
)

// Meant remembers the targets of jobs that name minions by their ids alone
// (glob, pcre, list). For these it is certain whom a job was for; a return of
// anybody else is refused. What other targets mean only the minion knows.
type Meant struct {
	exprs *lru.Map[string, target.Expr]
}

// maxMeant bounds the jobs that are remembered; of older ones, and of jobs that
// were never sent from here (salt-call, schedules, another top), every return is
// taken, as by Salt.
const maxMeant = 4096

// NewMeant remembers nothing yet.
func NewMeant() *Meant { return &Meant{exprs: lru.New[string, target.Expr](maxMeant)} }

// Note remembers the target of a job, if it is of such a kind.
func (t *Meant) Note(jid, tgtType string, expr target.Expr) {
	switch tgtType {
	case "glob", "pcre", "list":
		t.exprs.ContainsOrAdd(jid, expr) // the first is the job's
	}
}

// Widen replaces the target of a job that is published to further minions: expr means all of them.
func (t *Meant) Widen(jid, tgtType string, expr target.Expr) {
	switch tgtType {
	case "glob", "pcre", "list":
		t.exprs.Add(jid, expr)
	}
}

// Excludes tells whether a job was certainly not for a minion.
func (t *Meant) Excludes(jid, id string) bool {
	expr, ok := t.exprs.Peek(jid)
	return ok && expr.Certain(target.ID(id)) == target.No
}
