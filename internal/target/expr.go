package target

import (
	"slices"

	"github.com/momtree/mom/salt/pyre"
)

// Expr is a parsed target. It is immutable and safe for concurrent use.
type Expr interface {
	// Match reports whether the target matches the minion. Unknown data counts as empty, as on
	// a minion.
	Match(s Subject) bool
	// Certain is Match with a third answer when grains or pillar are unknown.
	Certain(s Subject) Tri
	// NeedsData reports whether the answer can depend on more than the id.
	NeedsData() bool
	// String returns the expression as compound words.
	String() string
}

// Tri is an answer that may be unknown.
type Tri uint8

// The three answers, ordered so that "and" is the minimum and "or" the maximum.
const (
	No Tri = iota
	Unknown
	Yes
)

func (t Tri) String() string { return [...]string{"no", "unknown", "yes"}[t] }

func tri(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// triOf returns Unknown unless known is true.
func triOf(ok, known bool) Tri {
	if !known {
		return Unknown
	}
	return tri(ok)
}

// Exact returns the ids of an expression that names them (a list, or a glob without wildcards),
// in their order, so that a caller need not try all minions. ok is false for any other
// expression.
func Exact(e Expr) (ids []string, ok bool) {
	switch e := e.(type) {
	case *idExpr:
		return []string{e.id}, true
	case *listExpr:
		return slices.Clone(e.ids), true
	}
	return nil, false
}

// idExpr is a glob without wildcards.
type idExpr struct{ id string }

func (e *idExpr) Match(s Subject) bool  { return s.ID() == e.id }
func (e *idExpr) Certain(s Subject) Tri { return tri(e.Match(s)) }
func (e *idExpr) NeedsData() bool       { return false }
func (e *idExpr) String() string        { return e.id }

type globExpr struct {
	text string
	glob globPattern
}

func (e *globExpr) Match(s Subject) bool  { return e.glob.match(s.ID()) }
func (e *globExpr) Certain(s Subject) Tri { return tri(e.Match(s)) }
func (e *globExpr) NeedsData() bool       { return false }
func (e *globExpr) String() string        { return e.text }

type pcreExpr struct {
	text string
	re   *pyre.Regexp
}

func newPCRE(text string) (Expr, error) {
	re, err := pyre.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pcreExpr{text, re}, nil
}

func (e *pcreExpr) Match(s Subject) bool  { return e.Certain(s) == Yes }
func (e *pcreExpr) Certain(s Subject) Tri { return triOf(e.re.Match(s.ID())) }
func (e *pcreExpr) NeedsData() bool       { return false }
func (e *pcreExpr) String() string        { return "E@" + e.text }

type listExpr struct {
	text string
	ids  []string
	set  map[string]struct{}
}

func (e *listExpr) Match(s Subject) bool  { _, ok := e.set[s.ID()]; return ok }
func (e *listExpr) Certain(s Subject) Tri { return tri(e.Match(s)) }
func (e *listExpr) NeedsData() bool       { return false }
func (e *listExpr) String() string        { return "L@" + e.text }

// dataExpr matches grains or pillar.
type dataExpr struct {
	text   string // with the engine letter
	pillar bool
	exact  bool               // values match exactly; the words look the same otherwise
	match  func(data any) Tri // Unknown: the work bound was reached
}

func (e *dataExpr) data(s Subject) any {
	if e.pillar {
		return s.Pillar()
	}
	return s.Grains()
}

func (e *dataExpr) Match(s Subject) bool {
	d := e.data(s)
	return known(d) && e.match(d) == Yes
}

func (e *dataExpr) Certain(s Subject) Tri {
	d := e.data(s)
	if !known(d) {
		return Unknown
	}
	return e.match(d)
}

func (e *dataExpr) NeedsData() bool { return true }
func (e *dataExpr) String() string  { return e.text }

type notExpr struct{ x Expr }

func (e *notExpr) Match(s Subject) bool  { return !e.x.Match(s) }
func (e *notExpr) Certain(s Subject) Tri { return Yes - e.x.Certain(s) }
func (e *notExpr) NeedsData() bool       { return e.x.NeedsData() }
func (e *notExpr) String() string        { return "not " + e.x.String() }

type andExpr struct{ a, b Expr }

func (e *andExpr) Match(s Subject) bool { return e.a.Match(s) && e.b.Match(s) }
func (e *andExpr) Certain(s Subject) Tri {
	a := e.a.Certain(s)
	if a == No {
		return No
	}
	return min(a, e.b.Certain(s))
}
func (e *andExpr) NeedsData() bool { return e.a.NeedsData() || e.b.NeedsData() }
func (e *andExpr) String() string  { return "( " + e.a.String() + " and " + e.b.String() + " )" }

type orExpr struct{ a, b Expr }

func (e *orExpr) Match(s Subject) bool { return e.a.Match(s) || e.b.Match(s) }
func (e *orExpr) Certain(s Subject) Tri {
	a := e.a.Certain(s)
	if a == Yes {
		return Yes
	}
	return max(a, e.b.Certain(s))
}
func (e *orExpr) NeedsData() bool { return e.a.NeedsData() || e.b.NeedsData() }
func (e *orExpr) String() string  { return "( " + e.a.String() + " or " + e.b.String() + " )" }
