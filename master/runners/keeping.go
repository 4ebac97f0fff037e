package runners

import (
	"slices"
	"strings"
	"time"
)

// Keeping selects the calls that are stored in the job cache; see [Calls].
type Keeping int

const (
	// KeepLasting stores calls that change something and those that take longKept or longer.
	KeepLasting Keeping = iota
	// KeepAll stores every call, as Salt does.
	KeepAll
	// KeepNone stores no call.
	KeepNone
)

// KeepingOf converts the option runner_returns. nil means unset.
func KeepingOf(option *bool) Keeping {
	switch {
	case option == nil:
		return KeepLasting
	case *option:
		return KeepAll
	}
	return KeepNone
}

// longKept is the duration from which on the result of a read-only call is stored: the client that
// waits for it may give up earlier.
const longKept = time.Second

// telling lists the modules whose functions only read, and tellers the read-only functions of other
// modules. Any other function is assumed to change something.
var (
	telling = []string{"acl", "auth", "clock", "config", "doc", "error", "jobs", "manage", "mine", "pillar", "survey", "test", "topology"}
	tellers = []string{
		"cache.fetch", "cache.grains", "cache.list", "cache.mine", "cache.pillar",
		"fileserver.dir_list", "fileserver.empty_dir_list", "fileserver.envs", "fileserver.file_list", "fileserver.symlink_list",
		"node.status", "reactor.is_leader", "reactor.list", "state.event", "state.orch_show_sls", "state.orchestrate_show_sls",
	}
	// changing lists the functions of telling modules that change something.
	changing = []string{"jobs.dequeue", "mine.update"}
)

// Changes reports whether a function may change something.
func Changes(fun string) bool {
	module, _, _ := strings.Cut(fun, ".")
	return slices.Contains(changing, fun) || !slices.Contains(telling, module) && !slices.Contains(tellers, fun)
}

// keeps reports whether to store a call that took this long in the job cache.
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
