package modules

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

func init() {
	jid := Arg{Name: "jid", Required: true}
	Register("saltutil",
		Function{Name: "running", Run: func(_ context.Context, c *Call) (any, error) { return loads(c, ""), nil }, Doc: `
List the jobs that run on this minion, except this one.

CLI Example:

    salt '*' saltutil.running
`},
		Function{Name: "is_running", Args: []Arg{{Name: "fun", Required: true}}, Run: func(_ context.Context, c *Call) (any, error) { return loads(c, c.Str("fun")), nil }, Doc: `
List the running jobs whose function matches the glob fun.

CLI Example:

    salt '*' saltutil.is_running 'state.*'
`},
		Function{Name: "find_job", Args: []Arg{jid}, Run: saltutilFind, Doc: `
Return the job with an id (jid) if it runs here, else an empty map.

CLI Example:

    salt '*' saltutil.find_job 20240101000000000001
`},
		Function{Name: "find_cached_job", Args: []Arg{jid}, Run: saltutilCached, Doc: `
Return the saved return of a job (jid) of this minion. It is saved with
cache_jobs: True.

CLI Example:

    salt '*' saltutil.find_cached_job 20240101000000000001
`},
		Function{Name: "signal_job", Args: []Arg{jid, {Name: "sig", Required: true}}, Run: saltutilSignal, Doc: `
Send a signal (sig), by number, to the commands of a running job (jid). One that
ends a process ends the job too.

CLI Example:

    salt '*' saltutil.signal_job 20240101000000000001 15
`},
		Function{Name: "term_job", Args: []Arg{jid}, Run: signalOne(syscall.SIGTERM), Doc: `
Ask a running job (jid) to end (signal 15); after five seconds its commands are killed.

CLI Example:

    salt '*' saltutil.term_job 20240101000000000001
`},
		Function{Name: "kill_job", Args: []Arg{jid}, Run: signalOne(syscall.SIGKILL), Doc: `
Kill a running job (jid) and its commands (signal 9).

CLI Example:

    salt '*' saltutil.kill_job 20240101000000000001
`},
		Function{Name: "term_all_jobs", Run: signalAll(syscall.SIGTERM), Doc: `
Ask all running jobs to end, except this one.

CLI Example:

    salt '*' saltutil.term_all_jobs
`},
		Function{Name: "kill_all_jobs", Run: signalAll(syscall.SIGKILL), Doc: `
Kill all running jobs, except this one.

CLI Example:

    salt '*' saltutil.kill_all_jobs
`},
		Function{Name: "refresh_grains", Args: []Arg{{Name: "refresh_pillar", Default: true}}, Run: saltutilRefreshGrains, Doc: `
Collect the grains again. refresh_pillar=False does not refresh the pillar.

CLI Example:

    salt '*' saltutil.refresh_grains
`},
		Function{
			Name: "refresh_pillar", Run: saltutilRefreshPillar,
			Args: []Arg{{Name: "wait", Default: false}, {Name: "timeout", Default: int64(30)}},
			Doc: `
Refresh the pillar. With wait=True the job ends when that is done, or fails
after timeout seconds; otherwise the refresh follows the job.

CLI Example:

    salt '*' saltutil.refresh_pillar wait=True
`,
		},
	)
	alias("saltutil", "refresh_pillar", "pillar_refresh")
}

// loads returns the running jobs except the calling one. With fun, only jobs whose function
// matches it.
func loads(c *Call, fun string) []any {
	list := []any{}
	for _, j := range c.Env.Jobs().Running() {
		if j.JID == c.JID && c.JID != "" {
			continue
		}
		l := load(j)
		if fun == "" || matchesFun(l, fun) {
			list = append(list, l)
		}
	}
	return list
}

// load returns a job in the form of Salt's proc file: the publication and the pid.
func load(j Job) *value.Map {
	m := value.NewMap("pid", j.PID)
	if j.Load != nil {
		j.Load.Range(func(k, v any) bool {
			m.Set(k, v)
			return true
		})
	}
	return m
}

// matchesFun reports whether any function of a job matches.
func matchesFun(load *value.Map, pattern string) bool {
	v, _ := load.Get("fun")
	if list, ok := v.([]any); ok {
		for _, f := range list {
			if target.Glob(pattern, PyStr(f)) {
				return true
			}
		}
		return false
	}
	return v != nil && target.Glob(pattern, PyStr(v))
}

func saltutilFind(_ context.Context, c *Call) (any, error) {
	if j, ok := c.Env.Jobs().Find(c.Str("jid")); ok {
		return load(j), nil
	}
	return value.NewMap(), nil
}

func saltutilCached(_ context.Context, c *Call) (any, error) {
	if m, ok := c.Env.Jobs().Cached(c.Str("jid")); ok {
		return m, nil
	}
	if !isTrue(c.Env.Option("cache_jobs")) {
		return "Local jobs cache directory not found; you may need to enable cache_jobs on this minion", nil
	}
	return fmt.Sprintf("Local jobs cache directory of job %s not found", c.Str("jid")), nil
}

func saltutilSignal(_ context.Context, c *Call) (any, error) {
	sig, err := c.Int("sig")
	if err != nil {
		return nil, err
	}
	if sig < 0 || sig > 64 {
		return nil, argErrorf("sig must be the number of a signal, 0 to 64, not %d", sig)
	}
	return signal(c, c.Str("jid"), syscall.Signal(sig)), nil
}

func signalOne(sig syscall.Signal) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) { return signal(c, c.Str("jid"), sig), nil }
}

func signalAll(sig syscall.Signal) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		sent := []any{}
		for _, j := range c.Env.Jobs().Running() {
			if j.JID != c.JID {
				sent = append(sent, signal(c, j.JID, sig))
			}
		}
		return sent, nil
	}
}

// signal sends a signal to a job and returns Salt's message; "" if the job is not running.
func signal(c *Call, jid string, sig syscall.Signal) string {
	j, ok := c.Env.Jobs().Find(jid)
	if !ok {
		return ""
	}
	switch err := c.Env.Jobs().Signal(jid, sig); {
	case errors.Is(err, ErrNoJob):
		return ""
	case err != nil:
		return fmt.Sprintf("Signal %d could not be sent to job %s: %v", int(sig), jid, err)
	}
	return fmt.Sprintf("Signal %d sent to job %s at pid %d", int(sig), jid, j.PID)
}

func saltutilRefreshGrains(ctx context.Context, c *Call) (any, error) {
	if err := c.Env.RefreshGrains(ctx, c.IsTrue("refresh_pillar")); err != nil {
		return nil, CommandErrorf("refresh the grains: %v", err)
	}
	return true, nil
}

func saltutilRefreshPillar(ctx context.Context, c *Call) (any, error) {
	if !c.IsTrue("wait") {
		if err := c.Env.FireLocal("pillar_refresh", value.NewMap("clean_cache", true)); err != nil {
			return nil, CommandErrorf("request a refresh of the pillar: %v", err)
		}
		return true, nil
	}
	limit, err := c.Float("timeout")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, seconds(limit))
	defer cancel()
	if err := c.Env.RefreshPillar(ctx); err != nil {
		return nil, CommandErrorf("refresh the pillar: %v", err)
	}
	return true, nil
}
