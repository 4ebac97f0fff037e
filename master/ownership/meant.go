package ownership

import (
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
)

// Meant records the targets of jobs that name minions by id only (glob, pcre, list). For these it
// is certain which minions match, so returns of others are refused. Only a minion can evaluate
// other targets.
type Meant struct {
	exprs *lru.Map[string, target.Expr]
}

// maxMeant bounds the recorded jobs. All returns are accepted, as in Salt, for older ones and for
// jobs not published here (salt-call, schedules, another top).
const maxMeant = 4096

// NewMeant returns an empty Meant.
func NewMeant() *Meant { return &Meant{exprs: lru.New[string, target.Expr](maxMeant)} }

// Note records the target of a job, if it names minions by id.
func (t *Meant) Note(jid, tgtType string, expr target.Expr) {
	switch tgtType {
	case "glob", "pcre", "list":
		t.exprs.ContainsOrAdd(jid, expr) // keep the first
	}
}

// Widen replaces the target of a job that is published to further minions: expr matches all of them.
func (t *Meant) Widen(jid, tgtType string, expr target.Expr) {
	switch tgtType {
	case "glob", "pcre", "list":
		t.exprs.Add(jid, expr)
	}
}

// Excludes reports whether a job was certainly not for a minion.
func (t *Meant) Excludes(jid, id string) bool {
	expr, ok := t.exprs.Peek(jid)
	return ok && expr.Certain(target.ID(id)) == target.No
}
