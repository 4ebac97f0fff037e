package runners

import (
	"slices"
	"strings"
	"time"
)

// Keeping says which calls go into the job cache; see [Calls].
type Keeping int

const (
	// KeepLasting keeps calls that change something and those that take longKept or more.
	KeepLasting Keeping = iota
	// KeepAll keeps every call, as Salt does.
	KeepAll
	// KeepNone keeps no call.
	KeepNone
)

// KeepingOf reads the option runner_returns, which may be unset.
func KeepingOf(option *bool) Keeping {
	switch {
	case option == nil:
		return KeepLasting
	case *option:
		return KeepAll
	}
	return KeepNone
}

// longKept is how long a call takes whose result is worth keeping although it only reads:
// who waits for it may give up before.
const longKept = time.Second

// telling are the modules whose functions only read, and tellers the functions of other
// modules that do. What is in neither is taken to change something.
var (
	telling = []string{"acl", "auth", "clock", "config", "doc", "error", "jobs", "manage", "mine", "pillar", "survey", "test", "topology"}
	tellers = []string{
		"cache.fetch", "cache.grains", "cache.list", "cache.mine", "cache.pillar",
		"fileserver.dir_list", "fileserver.empty_dir_list", "fileserver.envs", "fileserver.file_list", "fileserver.symlink_list",
		"node.status", "reactor.is_leader", "reactor.list", "state.event", "state.orch_show_sls", "state.orchestrate_show_sls",
	}
	// changing are functions of telling modules that change something.
	changing = []string{"jobs.dequeue", "mine.update"}
)

// Changes reports whether a function may change something.
func Changes(fun string) bool {
	module, _, _ := strings.Cut(fun, ".")
	return slices.Contains(changing, fun) || !slices.Contains(telling, module) && !slices.Contains(tellers, fun)
}

// keeps reports whether a call that took so long goes into the job cache.
func (c *Calls) keeps(r *run, took time.Duration) bool {
	switch fun := r.call.Fun(); {
	case c.o.Keeping == KeepNone, r.Discard, registry.Private(fun):
		return false
	case r.Keep, c.o.Keeping == KeepAll:
		return true
	default:
		return Changes(fun) || took >= longKept
	}
}
