package matrix

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/peers"
)

// returnsAt lists the returns of test.echo with a word on the bus of the top since mark, as
// "jid id".
func (w *world) returnsAt(mark int, word string) (out []string) {
	w.top.Events.Each(mark, func(e peers.Event) {
		parts := strings.Split(e.Tag, "/")
		if len(parts) == 5 && parts[0] == "salt" && parts[1] == "job" && parts[3] == "ret" && e.Data.String("return") == word {
			out = append(out, parts[2]+" "+parts[4])
		}
	})
	return out
}

// slices checks that each minion has returned a word once since mark, all under one job id if one
// is set.
func (w *world) slices(mark int, word string, one bool) verdicts {
	v := verdicts{}
	returns := w.returnsAt(mark, word)
	jids := map[string]bool{}
	for _, k := range w.Minions {
		count := 0
		for _, r := range returns {
			jid, id, _ := strings.Cut(r, " ")
			jids[jid] = true
			if id == ids[k] {
				count++
			}
		}
		if v[k] = ""; count != 1 {
			v[k] = fmt.Sprintf("%d returns reached the top", count)
		}
	}
	if one && len(jids) > 1 {
		for k := range v {
			v[k] = fmt.Sprintf("%d job ids", len(jids))
		}
	}
	return v
}

func batch(ctx context.Context, w *world) verdicts {
	mark := w.top.Events.Mark()
	r, err := w.top.Run(ctx, w.top.Salt, "salt", "--static", "--out=json", "-b", "1", "-L", w.target(), "test.echo", "slice")
	got := map[string]any{}
	if err == nil {
		got, err = r.JSON()
	}
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("exit %d: %s", r.Code, r.Text())
	}
	answers := map[string]answer{}
	for id, v := range got {
		answers[id] = answer{value: v}
	}
	v := w.each(answers, err, func(_ kind, a answer) string { return like(a.value, "slice") })
	return v.and(w.slices(mark, "slice", w.newTop()))
}

func batchAsync(ctx context.Context, w *world) verdicts {
	mark := w.top.Events.Mark()
	if err := handOver(ctx, w, w.top.Salt); err != nil {
		return w.each(nil, err, nil)
	}
	waiting.Became(patience, func() bool { return len(w.returnsAt(mark, "handed")) >= len(w.Minions) || ctx.Err() != nil })
	return w.slices(mark, "handed", true)
}

// handOver starts a batch with the salt of a kind and leaves it to the top.
func handOver(ctx context.Context, w *world, by *peers.Salt) error {
	r, err := w.top.Run(ctx, by, "salt", "--async", "-b", "1", "-L", w.target(), "test.echo", "handed")
	if err == nil && (r.Code != 0 || !strings.Contains(r.Out, "Executed batch command with job ID: ")) {
		err = fmt.Errorf("%s: exit %d: %s", r.Line, r.Code, short(r.Text()))
	}
	return err
}

func startEvent(ctx context.Context, w *world) verdicts {
	mark := w.low.Events.Mark()
	jid, err := w.async(ctx, w.top.Salt, "--start-event", "-L", w.target(), "test.echo", "began")
	if err != nil {
		return w.each(nil, err, nil)
	}
	return w.started(ctx, mark, jid)
}

// started checks that the bus of the minions' master has the start event of a job for each of them.
func (w *world) started(ctx context.Context, mark int, jid string) verdicts {
	v := verdicts{}
	waiting.Became(patience/2, func() bool {
		fired := true
		for _, k := range w.Minions {
			tag := "salt/job/" + jid + "/start/" + ids[k]
			if v[k] = ""; !w.low.Events.Has(mark, tag) {
				v[k] = "no event " + tag
				fired = fired && !w.firesStart(k) // other minions never do
			}
		}
		return fired || ctx.Err() != nil
	})
	return v
}
