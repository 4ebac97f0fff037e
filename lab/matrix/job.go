package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/peers"
	"github.com/momtree/mom/value"
)

// patience is how long the returns of a job are waited for: twice what a very busy machine needs
// for a state run of a Python minion.
const patience = 90 * time.Second

// answer is a return as the bus of the top tells it.
type answer struct {
	value any
	code  int64
}

// async starts a job by the salt --async of a kind, nil for ours, and gives its jid.
func (w *world) async(ctx context.Context, by *peers.Salt, args ...string) (string, error) {
	r, err := w.top.Run(ctx, by, "salt", append([]string{"--async"}, args...)...)
	if err != nil {
		return "", err
	}
	_, jid, ok := strings.Cut(strings.TrimSpace(r.Out), "Executed command with job ID: ")
	if r.Code != 0 || !ok {
		return "", fmt.Errorf("%s: exit %d: %s", r.Line, r.Code, short(r.Text()))
	}
	return jid, nil
}

// job runs a function on all minions and gives what came of it to the bus of the top by id.
func (w *world) job(ctx context.Context, args ...string) (map[string]answer, error) {
	return w.jobTo(ctx, patience, len(w.Minions), append([]string{"-L", w.target()}, args...)...)
}

// jobTo is job for any target, with another patience and number of returns.
func (w *world) jobTo(ctx context.Context, within time.Duration, returns int, args ...string) (map[string]answer, error) {
	mark := w.top.Events.Mark()
	jid, err := w.async(ctx, nil, args...) // Salt's takes seconds to start, and has rows of its own
	if err != nil {
		return nil, err
	}
	out := map[string]answer{}
	waiting.Became(within, func() bool {
		w.top.Events.Each(mark, func(e peers.Event) {
			if id, ok := strings.CutPrefix(e.Tag, "salt/job/"+jid+"/ret/"); ok {
				v, _ := e.Data.Get("return")
				out[id] = answer{value.Plain(v), e.Data.Int("retcode")}
			}
		})
		return len(out) >= returns || ctx.Err() != nil
	})
	return out, ctx.Err()
}

// each holds the answer of each minion against what is wanted of it: "" or what is wrong.
func (w *world) each(answers map[string]answer, err error, wrong func(k kind, a answer) string) verdicts {
	out := verdicts{}
	for _, k := range w.Minions {
		a, came := answers[ids[k]]
		switch {
		case err != nil:
			out[k] = short(err.Error())
		case !came:
			out[k] = "no return came to the top"
		default:
			out[k] = wrong(k, a)
		}
	}
	return out
}

// verdicts say of each minion what is wrong: "" is nothing.
type verdicts map[kind]string

func (v verdicts) good() bool {
	for _, said := range v {
		if said != "" {
			return false
		}
	}
	return true
}

// err is the first fault, as an error that names the minion.
func (v verdicts) err() error {
	for _, k := range slices.Sorted(maps.Keys(v)) {
		if v[k] != "" {
			return fmt.Errorf("%s: %s", ids[k], v[k])
		}
	}
	return nil
}

// again asks until all is as wanted or the time is up.
func again(ctx context.Context, within time.Duration, ask func() verdicts) verdicts {
	end := time.Now().Add(within)
	for {
		v := ask()
		if v.good() || time.Now().After(end) || timing.Sleep(ctx, 300*time.Millisecond) != nil {
			return v
		}
	}
}

// short keeps the ends of a long text.
func short(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= 400 {
		return string(r)
	}
	return string(r[:200]) + " … " + string(r[len(r)-190:])
}
