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

// patience is how long to wait for the returns of a job: twice what a very busy machine needs for a
// state run of a Python minion.
const patience = 90 * time.Second

// answer is a return on the bus of the top.
type answer struct {
	value any
	code  int64
}

// async starts a job with the salt --async of a kind, nil for mom, and returns its jid.
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

// job runs a function on all minions and returns the returns on the bus of the top by id.
func (w *world) job(ctx context.Context, args ...string) (map[string]answer, error) {
	return w.jobTo(ctx, patience, len(w.Minions), append([]string{"-L", w.target()}, args...)...)
}

// jobTo is job for any target, with another time limit and number of returns.
func (w *world) jobTo(ctx context.Context, within time.Duration, returns int, args ...string) (map[string]answer, error) {
	mark := w.top.Events.Mark()
	jid, err := w.async(ctx, nil, args...) // Salt's command takes seconds to start, and has rows of its own
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

// each checks the answer of each minion with wrong, which returns "" or what is wrong.
func (w *world) each(answers map[string]answer, err error, wrong func(k kind, a answer) string) verdicts {
	out := verdicts{}
	for _, k := range w.Minions {
		a, returned := answers[ids[k]]
		switch {
		case err != nil:
			out[k] = short(err.Error())
		case !returned:
			out[k] = "no return reached the top"
		default:
			out[k] = wrong(k, a)
		}
	}
	return out
}

// verdicts holds what is wrong with each minion; "" is nothing.
type verdicts map[kind]string

func (v verdicts) good() bool {
	for _, said := range v {
		if said != "" {
			return false
		}
	}
	return true
}

// err returns the first fault as an error that names the minion.
func (v verdicts) err() error {
	for _, k := range slices.Sorted(maps.Keys(v)) {
		if v[k] != "" {
			return fmt.Errorf("%s: %s", ids[k], v[k])
		}
	}
	return nil
}

// again repeats a check until all is well or the time is up.
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
