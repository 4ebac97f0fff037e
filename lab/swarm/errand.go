package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
)

// errand is a job for which a minion must fetch something from its master.
type errand struct {
	*minion
	ctx   context.Context
	order *order
	tally tally
}

// errands are the functions that fetch, with their implementations. None runs anything: what is
// fetched is hashed and dropped.
var errands = map[string]func(*errand) result{
	"cp.get_file":     (*errand).getFile,
	"cp.cache_file":   (*errand).cacheFile,
	"pillar.items":    (*errand).pillarItems,
	"state.highstate": (*errand).highstate,
	"state.apply":     (*errand).apply,
	"state.sls":       (*errand).apply,
}

// fetches returns the result of a job that fetches something. ok is false for other
// jobs.
func (m *minion) fetches(ctx context.Context, o *order) (r result, ok bool) {
	run, ok := errands[o.fun]
	if !ok || m.swarm.cfg.Answers.Size > 0 {
		return r, false
	}
	e := &errand{minion: m, ctx: ctx, order: o}
	r = run(e)
	e.tally.failed = r.retcode != 0
	if ctx.Err() == nil {
		o.job.worked(&e.tally, time.Now())
	}
	return r, true
}

// ask makes one request; a stock minion uses a connection of its own for it.
func (e *errand) ask(cmd string, kv ...any) (wire.Raw, error) {
	load := wire.NewMap(kv...)
	load.Set("id", e.id)
	load.Set("cmd", cmd)
	var raw wire.Raw
	var err error
	if e.our != nil {
		var ch *channel.Channel
		if ch, _ = e.our.way(); ch == nil {
			return nil, errors.New("it is not signed in")
		}
		raw, err = ch.Request(e.ctx, load)
	} else {
		raw, err = e.request(e.ctx, load, e.swarm.requestPatience())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	e.tally.requests++
	return raw, nil
}

// answer is ask for small answers, which it decodes.
func (e *errand) answer(cmd string, kv ...any) (any, error) {
	raw, err := e.ask(cmd, kv...)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	return v, nil
}

// requestPatience is the time-out of salt-minion for these requests.
func (s *Swarm) requestPatience() patience {
	return patience{timeout: s.cfg.Timers.RequestTimeout, tries: s.cfg.Timers.RequestTries}
}

// broken returns the result of a job that could not fetch what it needed.
func broken(fun string, err error) result {
	return result{value: fmt.Sprintf("The minion function caused an exception: %s: %v", fun, err), retcode: 1, out: "nested"}
}

// arguments returns the arguments of the order, keyword arguments by name.
func (o *order) arguments() (args []any, named *wire.Map) {
	named = wire.NewMap()
	for _, a := range o.args {
		m, ok := a.(*wire.Map)
		if !ok || !m.Bool("__kwarg__") {
			args = append(args, a)
			continue
		}
		m.Range(func(k, v any) bool {
			if k != "__kwarg__" {
				named.Set(k, v)
			}
			return true
		})
	}
	return args, named
}

// argument returns the string argument at a position or with a name, or "".
func argument(args []any, named *wire.Map, at int, name string) string {
	if s := named.String(name); s != "" {
		return s
	}
	if at < len(args) {
		s, _ := args[at].(string)
		return s
	}
	return ""
}
