package states

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// RequisiteError is a requisite that cannot be resolved. It ends the run, like Salt's
// SaltRenderError.
type RequisiteError struct{ Kind, Name string }

func (e *RequisiteError) Error() string {
	return fmt.Sprintf("Could not locate requisite of [%s] present in state with name [%s]", e.Kind, e.Name)
}

// kinds are the requisites checked before a chunk runs, in Salt's order.
var kinds = []string{
	"require", "require_any", "watch", "watch_any", "prereq", "onfail", "onfail_any", "onfail_all",
	"onchanges", "onchanges_any",
}

// lookups are the requisites reported as not found, in Salt's order.
var lookups = []string{
	"require", "require_any", "watch", "watch_any", "prereq", "onfail", "onfail_any", "onfail_all", "onchanges", "onchanges_any",
}

// pairOf splits a requisite into module and name: a string is an ID of any module; the
// function of a module is dropped.
func pairOf(req any) (kind string, to any, ok bool) {
	switch req := req.(type) {
	case string:
		return "id", req, true
	case *value.Map:
		if req.Len() == 0 {
			return "", nil, false
		}
		k := req.Keys()[0]
		v, _ := req.GetKey(k)
		kind, _, _ = strings.Cut(str(k), ".")
		return kind, v, true
	}
	return "", nil, false
}

// named returns the chunks that one requisite names.
func named(chunks []*value.Map, kind string, to any) ([]*value.Map, error) {
	name, isText := to.(string)
	var out []*value.Map
	for _, c := range chunks {
		switch {
		case !isText:
			return nil, &RequisiteError{kind, text(c, "name")}
		case kind == "sls":
			if glob(name, c.String("__sls__")) {
				out = append(out, c)
			}
		case kind != "id" && c.String("state") != kind:
		case glob(name, text(c, "name")) || glob(name, text(c, "__id__")):
			out = append(out, c)
		}
	}
	return out, nil
}

// emptySLS reports whether a requisite names an SLS that was rendered and has no states.
// Such a requisite is met.
func (r *Run) emptySLS(kind string, to any) bool {
	name, ok := to.(string)
	return ok && kind == "sls" && slices.ContainsFunc(r.rendered, func(sls string) bool { return glob(name, sls) })
}

// requires reports whether a chunk has requisites.
func requires(c *value.Map) bool {
	return c.Has("prerequired") || slices.ContainsFunc(kinds, c.Has)
}

// status is the combined state of a chunk's requisites.
type status string

const (
	met       status = "met"       // run it
	unmet     status = "unmet"     // others must run first, or do not exist
	fail      status = "fail"      // one has failed
	change    status = "change"    // a watched one has changed
	pre       status = "pre"       // the chunk of prereq changes nothing
	onfail    status = "onfail"    // nothing has failed
	onchanges status = "onchanges" // nothing has changed
)

// check evaluates the requisites of a chunk. reqs are the chunks that each names.
func (r *Run) check(c *value.Map, chunks []*value.Map, withPrerequired bool) (status, *value.Map, error) {
	for _, p := range [][2]string{{"watch", "require"}, {"watch_any", "require_any"}} {
		if c.Has(p[0]) {
			r.watchAsRequire(c, p[0], p[1])
		}
	}
	if !requires(c) {
		return met, nil, nil
	}
	r.reap()
	list := kinds
	if withPrerequired {
		list = append(slices.Clone(kinds), "prerequired")
	}
	reqs := value.NewMap()
	for _, kind := range list {
		found := []any{}
		v, _ := c.Get(kind)
		if v != nil && !slices.Contains(r.o.DisabledRequisites, kind) {
			for _, req := range asIterated(v) {
				k, to, ok := pairOf(req)
				if ok && to == nil {
					continue
				}
				cs, err := named(chunks, k, to)
				if err != nil {
					return "", nil, err
				}
				if len(cs) == 0 && !r.emptySLS(k, to) {
					return unmet, nil, nil
				}
				for _, one := range cs {
					found = append(found, one)
				}
			}
		}
		reqs.Set(kind, found)
	}
	return r.weigh(list, reqs), reqs, nil
}

// weigh combines the results of the required chunks.
func (r *Run) weigh(list []string, reqs *value.Map) status {
	all := map[string]bool{}
	for _, kind := range list {
		run := r.running
		if kind == "prereq" {
			run = r.pre
		}
		stats := map[string]bool{}
		for _, v := range reqs.List(kind) {
			tag := Tag(v.(*value.Map))
			r.await(tag)
			res := run.Map(tag)
			if res == nil {
				stats["unmet"] = true
				continue
			}
			judge(kind, res, stats)
		}
		relax(kind, stats)
		for s := range stats {
			all[s] = true
		}
	}
	switch {
	case all["unmet"]:
		return unmet
	case all["fail"]:
		return fail
	case all["pre"] && all["premet"]:
		return met
	case all["pre"]:
		return pre
	case all["onfail"] && !all["onchangesmet"]:
		return onfail
	case all["onchanges"] && !all["onchangesmet"]:
		return onchanges
	case all["change"]:
		return change
	case all["onfail"]:
		return onfail
	}
	return met
}

// judge updates stats with one result for a requisite of that kind.
func judge(kind string, res *value.Map, stats map[string]bool) {
	outcome, _ := res.Get("result")
	changes, _ := res.Get("changes")
	if strings.HasPrefix(kind, "onfail") {
		if outcome == true {
			stats["onfail"] = true
			return
		}
	} else if outcome == false && !strings.HasPrefix(kind, "onchanges") {
		stats["fail"] = true
		return
	}
	switch {
	case strings.HasPrefix(kind, "onchanges"):
		// The changes of a failed state do not count.
		if outcome != false && pyfmt.Truth(changes) {
			stats["onchangesmet"] = true
		} else {
			stats["onchanges"] = true
		}
		return
	case strings.HasPrefix(kind, "watch") && pyfmt.Truth(changes):
		stats["change"] = true
		return
	case kind == "prereq" && outcome != nil:
		stats["pre"] = true
		return
	case kind == "prereq":
		stats["premet"] = true
	}
	if v, ok := res.Get("__state_ran__"); !ok || pyfmt.Truth(v) {
		stats["met"] = true
	}
}

// relax applies the _any variants of requisites, for which one of several chunks is enough.
func relax(kind string, stats map[string]bool) {
	if strings.HasSuffix(kind, "_any") || kind == "onfail" {
		if stats["met"] || stats["change"] {
			delete(stats, "fail")
		}
		if stats["onchangesmet"] {
			delete(stats, "onchanges")
			delete(stats, "fail")
		}
		if stats["onfail"] && stats["met"] {
			delete(stats, "onfail")
		}
	}
	if strings.HasSuffix(kind, "_all") && stats["onfail"] {
		delete(stats, "met")
	}
}
