package target

import "strings"

// Resource is a device that a minion of Salt 3008 manages.
type Resource struct {
	Type, ID string
	Grains   any // nil if it has none
}

// Manager is a [Subject] whose resources are known.
type Manager interface {
	// Manages reports whether the minion manages a resource of that type and, unless id is "",
	// with that id.
	Manages(kind, id string) bool
}

// resourceExpr is T@type or T@type:id: the minions that manage such a resource.
type resourceExpr struct{ kind, id string }

func newResource(pattern string) Expr {
	kind, id, _ := strings.Cut(pattern, ":")
	return &resourceExpr{kind, id}
}

func (e *resourceExpr) Match(s Subject) bool { return e.Certain(s) == Yes }

// Certain returns Unknown if the resources of the minion are not known.
func (e *resourceExpr) Certain(s Subject) Tri {
	m, ok := s.(Manager)
	if !ok {
		return Unknown
	}
	return tri(m.Manages(e.kind, e.id))
}

func (e *resourceExpr) NeedsData() bool { return true }

func (e *resourceExpr) String() string {
	if e.id == "" {
		return "T@" + e.kind
	}
	return "T@" + e.kind + ":" + e.id
}

// OnResource reports whether a minion of Salt 3008 runs a job on a resource that it manages.
// kind is the type of target e. meant reports whether the target matches the minion.
func OnResource(e Expr, kind string, r Resource, meant bool) bool {
	switch kind {
	case "compound", "list", "grain", "grain_pcre":
		return onResource(e, r)
	}
	if id, ok := e.(*idExpr); ok { // a glob without wildcards matches the minion or the resource
		return id.id == r.ID
	}
	return meant
}

// onResource evaluates each word against the resource alone. Globs, networks and pillars match
// only minions.
func onResource(e Expr, r Resource) bool {
	switch e := e.(type) {
	case *andExpr:
		return onResource(e.a, r) && onResource(e.b, r)
	case *orExpr:
		return onResource(e.a, r) || onResource(e.b, r)
	case *notExpr:
		return !onResource(e.x, r)
	case *resourceExpr:
		return e.kind == r.Type && (e.id == "" || e.id == r.ID)
	case *dataExpr:
		return !e.pillar && known(r.Grains) && e.match(r.Grains) == Yes
	case *listExpr, *pcreExpr:
		return e.Match(ID(r.ID))
	}
	return false
}

// OnlyResources reports whether each word of a target is T@: the job runs only on the
// resources, not on the minions that manage them.
func OnlyResources(e Expr) bool {
	switch e := e.(type) {
	case *andExpr:
		return OnlyResources(e.a) && OnlyResources(e.b)
	case *orExpr:
		return OnlyResources(e.a) && OnlyResources(e.b)
	case *notExpr:
		return OnlyResources(e.x)
	case *resourceExpr:
		return true
	}
	return false
}
