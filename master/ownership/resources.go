package ownership

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
)

// Resources are the registered resources of minions of Salt 3008.
type Resources interface {
	// Managers returns the minions that have resources.
	Managers() []string
	// Of returns the resources of a minion.
	Of(minion string) []target.Resource
}

// addResources adds the resources that match, and the minions that get the job only for them.
func (p *Policy) addResources(a *Audience, tgtType string) {
	if p.o.Resources == nil {
		return
	}
	for _, minion := range p.o.Resources.Managers() {
		if !p.o.Keys.Accepted(minion) || !p.IsMinion(minion) || p.o.Absent(minion) {
			continue
		}
		_, meant := slices.BinarySearch(a.Minions, minion)
		n := len(a.Resources)
		for _, r := range p.o.Resources.Of(minion) {
			if target.OnResource(a.Expr, tgtType, r, meant) {
				a.Resources = append(a.Resources, Managed{r.ID, minion})
			}
		}
		if len(a.Resources) == n {
			continue
		}
		if !meant || target.OnlyResources(a.Expr) {
			a.Carriers = append(a.Carriers, minion)
		}
	}
	for _, r := range a.Resources {
		a.Missing = slices.DeleteFunc(a.Missing, func(id string) bool { return id == r.ID })
	}
	a.Minions = slices.Concat(a.Minions, a.Carriers)
	slices.Sort(a.Minions)
	a.Minions = slices.Compact(a.Minions)
	slices.SortFunc(a.Resources, func(x, y Managed) int { return strings.Compare(x.ID, y.ID) })
}

// noResources are functions that Salt 3008 does not run on resources. For stateFuns a minion with
// resources returns only the results of these.
var (
	noResources = map[string]bool{
		"saltutil.find_job": true, "saltutil.running": true, "saltutil.is_running": true, "saltutil.kill_job": true, "saltutil.signal_job": true,
		"saltutil.term_job": true, "saltutil.refresh_grains": true, "saltutil.sync_all": true, "saltutil.sync_grains": true, "saltutil.sync_modules": true,
		"sys.reload_modules": true,
	}
	stateFuns = map[string]bool{"state.apply": true, "state.highstate": true, "state.sls": true, "state.sls_id": true, "state.single": true}
)

// For returns the audience of a job with these functions. Jobs of several functions, and some
// functions, do not run on resources.
func (a Audience) For(funs []string) Audience {
	if len(funs) != 1 || noResources[funs[0]] {
		a.Resources = nil
	}
	return a
}

// Answerers returns the minions and resources that return a result each, sorted.
func (a *Audience) Answerers() []string {
	if len(a.Resources)+len(a.Carriers) == 0 {
		return a.Minions
	}
	out := slices.Clone(a.Minions)
	out = slices.DeleteFunc(out, func(id string) bool { _, carries := slices.BinarySearch(a.Carriers, id); return carries })
	for _, r := range a.Resources {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Silent returns the matching minions that return nothing for a function: for state runs Salt 3008
// returns the results of the resources only.
func (a *Audience) Silent(fun string) []string {
	if !stateFuns[fun] {
		return nil
	}
	var out []string
	for _, r := range a.Resources {
		if _, carries := slices.BinarySearch(a.Carriers, r.Minion); !carries {
			out = append(out, r.Minion)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
