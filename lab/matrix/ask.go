package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/peers"
)

// like compares values as Go prints them, which sorts maps.
func like(got, want any) string {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Sprintf("gives %s, want %s", short(g), short(w))
	}
	return ""
}

func ping(ctx context.Context, w *world) verdicts {
	r, err := w.top.Run(ctx, w.top.Salt, "salt", "--out=json", "-L", w.target(), "test.ping")
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
	return w.each(answers, err, func(_ kind, a answer) string { return like(a.value, true) })
}

func cmdRun(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "cmd.run", "echo out; exit 3", "python_shell=True")
	return w.each(got, err, func(_ kind, a answer) string {
		if a.code == 0 {
			return "retcode 0 of a command that failed"
		}
		return like(a.value, "out")
	})
}

func grains(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "grains.items")
	v := w.each(got, err, func(k kind, a answer) string {
		m, _ := a.value.(map[string]any)
		return like([]any{m["id"], m["kernel"], m["master"] != nil, m["saltversion"] != nil}, []any{ids[k], "Linux", true, true})
	})
	got, err = w.jobTo(ctx, patience, len(w.Minions), "-G", "kernel:Linux", "test.ping")
	return v.and(w.each(got, err, func(_ kind, a answer) string { return like(a.value, true) }))
}

// and returns the first fault of each minion.
func (v verdicts) and(o verdicts) verdicts {
	for k, said := range o {
		if v[k] == "" {
			v[k] = said
		}
	}
	return v
}

func pillar(ctx context.Context, w *world) verdicts {
	// A minion of Salt's may have an empty pillar once if its master is late.
	return again(ctx, 20*time.Second, func() verdicts {
		got, err := w.job(ctx, "pillar.items")
		if slices.Contains(w.Minions, salt8) && err == nil {
			// Salt 3008 masks values without it, and earlier releases do not have the argument.
			var of8 map[string]answer
			of8, err = w.jobTo(ctx, patience, 1, ids[salt8], "pillar.items", "unmask=True")
			maps.Copy(got, of8)
		}
		return w.each(got, err, func(k kind, a answer) string {
			m, _ := a.value.(map[string]any)
			return like([]any{m["who"], m["linux"], m["_errors"]},
				[]any{ids[k] + " of " + w.low.ID, map[string]any{"deep": []any{1, 2.5, nil}}, nil})
		})
	})
}

func mine(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "mine.update")
	v := w.each(got, err, func(kind, answer) string { return "" })
	if !v.good() {
		return v
	}
	want := map[string]any{}
	for _, id := range w.all() {
		want[id] = id
	}
	// Salt's minions pass the mine to their main process without waiting.
	return again(ctx, 10*time.Second, func() verdicts {
		got, err := w.job(ctx, "mine.get", "*", "whoami")
		return w.each(got, err, func(_ kind, a answer) string { return like(a.value, want) })
	})
}

func publish(ctx context.Context, w *world) verdicts {
	want := map[string]any{}
	for _, id := range w.all() {
		want[id] = true
	}
	got, err := w.job(ctx, "publish.publish", "*", "test.ping", "timeout=30")
	return w.each(got, err, func(_ kind, a answer) string { return like(a.value, want) })
}

func syncAll(ctx context.Context, w *world) verdicts {
	module := func(k kind) string {
		if k == mom {
			return "greet"
		}
		return "words"
	}
	got, err := w.job(ctx, "saltutil.sync_all")
	v := w.each(got, err, func(k kind, a answer) string {
		m, _ := a.value.(map[string]any)
		if s := fmt.Sprint(m["modules"]); !strings.Contains(s, "modules."+module(k)) {
			return "fetched " + short(fmt.Sprint(a.value))
		}
		return ""
	})
	if !v.good() {
		return v
	}
	// Minions reload their modules while the job ends.
	return again(ctx, 10*time.Second, func() verdicts {
		v := verdicts{}
		for _, name := range []string{"greet", "words"} {
			got, err := w.job(ctx, name+".hello", "world")
			for k, said := range w.each(got, err, func(k kind, a answer) string { return like(a.value, "hello world of "+ids[k]) }) {
				if module(k) == name {
					v[k] = said
				}
			}
		}
		return v
	})
}

// heard checks for each minion that an event with the tag is on a bus since mark.
func (w *world) heard(ctx context.Context, bus *peers.Recorder, mark int, tag string) verdicts {
	v := verdicts{}
	waiting.Became(patience/2, func() bool {
		for _, k := range w.Minions {
			v[k] = "no event " + tag
		}
		bus.Each(mark, func(e peers.Event) {
			for _, k := range w.Minions {
				// Salt's syndic wraps the event in its data.
				if e.Tag == tag && (e.Data.String("id") == ids[k] || e.Data.Map("data").String("id") == ids[k]) {
					v[k] = ""
				}
			}
		})
		return v.good() || ctx.Err() != nil
	})
	return v
}

func event(ctx context.Context, w *world) verdicts {
	mark := w.low.Events.Mark()
	w.mark = w.top.Events.Mark()
	got, err := w.job(ctx, "event.send", "matrix/word", "{a: 1}")
	v := w.each(got, err, func(_ kind, a answer) string { return like(a.value, true) })
	if !v.good() {
		return v
	}
	return w.heard(ctx, w.low.Events, mark, "matrix/word")
}

func eventAtTop(ctx context.Context, w *world) verdicts {
	return w.heard(ctx, w.top.Events, w.mark, "syndic/"+w.chain[1].ID+"/matrix/word")
}

func lookup(ctx context.Context, w *world) verdicts {
	jid, err := w.async(ctx, w.top.Salt, "-L", w.target(), "test.echo", "later")
	if err != nil {
		return w.each(nil, err, nil)
	}
	return again(ctx, 20*time.Second, func() verdicts {
		r, err := w.top.Run(ctx, w.top.Salt, "salt-run", "--out=json", "jobs.lookup_jid", jid)
		answers := map[string]answer{}
		if err == nil {
			var got map[string]any
			got, err = r.JSON()
			for id, v := range got {
				answers[id] = answer{value: v}
			}
		}
		return w.each(answers, err, func(_ kind, a answer) string { return like(a.value, "later") })
	})
}

func fileOfTop(ctx context.Context, w *world) verdicts {
	got, err := w.job(ctx, "cp.get_file_str", "salt://top-only.txt")
	return w.each(got, err, func(_ kind, a answer) string { return like(a.value, "from the top\n") })
}
