package states

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/value"
)

// retrying is the option retry of a state.
type retrying struct {
	until                     bool
	attempts, interval, splay int
}

// retryOf parses the option. As in Salt, values of a wrong type are replaced by defaults.
func (r *Run) retryOf(c *value.Map) retrying {
	how := retrying{until: true, attempts: 2, interval: 30}
	m, ok := get(c, "retry").(*value.Map)
	if !ok {
		r.o.Log.Warn("retry is not a map, using its defaults", "state", text(c, "__id__"))
		return how
	}
	if v, ok := m.Get("until"); ok {
		if b, ok := v.(bool); ok {
			how.until = b
		} else {
			r.o.Log.Warn("retry: until is not a bool, using True", "state", text(c, "__id__"))
		}
	}
	for name, into := range map[string]*int{"attempts": &how.attempts, "interval": &how.interval, "splay": &how.splay} {
		if !m.Has(name) {
			continue
		}
		if n, ok := integer(m, name); ok && n >= 0 && n < 1<<31 {
			*into = int(n)
		} else {
			r.o.Log.Warn("retry: invalid number, using its default", "option", name, "state", text(c, "__id__"))
		}
	}
	return how
}

// wait returns the pause before the next try.
func (h retrying) wait(random func(n int) int) time.Duration {
	n := h.interval
	if h.splay > 0 {
		n += random(h.splay + 1)
	}
	return time.Duration(n) * time.Second
}

// preview returns what a run without test=True would do.
func (h retrying) preview() string {
	return fmt.Sprintf("The state would be retried every %d seconds (with a splay of up to %d seconds) a maximum of %d times or until a result of %s is returned",
		h.interval, h.splay, h.attempts, str(h.until))
}

func attemptComment(n int, res *value.Map) string {
	return fmt.Sprintf("Attempt %d: Returned a result of \"%s\", with the following comment: \"%s\"", n, text(res, "result"), text(res, "comment"))
}

// retry calls a chunk again while its result is not the one that its option retry requires.
func (r *Run) retry(ctx context.Context, c *value.Map, chunks []*value.Map, res *value.Map, try int) (*value.Map, error) {
	how := r.retryOf(c)
	if r.o.Test {
		res.Set("comment", text(res, "comment")+"  "+how.preview())
		return res, nil
	}
	if get(res, "result") == how.until || how.attempts <= try {
		return res, nil
	}
	wait := how.wait(r.o.Random)
	if err := r.o.Sleep(ctx, wait); err != nil {
		return nil, err
	}
	again, err := r.call(ctx, c, chunks, try+1)
	if err != nil {
		return nil, err
	}
	again.Set("comment", attemptComment(try, res)+"\n"+text(again, "comment"))
	again.Set("duration", again.Float("duration")+res.Float("duration")+millis(wait))
	if try == 1 {
		again.Set("start_time", get(res, "start_time"))
	}
	return again, nil
}
