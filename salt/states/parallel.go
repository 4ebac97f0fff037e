package states

import (
	"context"

	"github.com/momtree/mom/value"
)

// parallel is a state that runs in parallel to the others.
type parallel struct {
	done chan struct{}
	res  *value.Map // valid once done is closed
}

// start starts a state in parallel. It returns a preliminary result, which reap or await
// replaces.
func (r *Run) start(ctx context.Context, c *value.Map, call *Call) *value.Map {
	p := &parallel{done: make(chan struct{})}
	r.parallel[Tag(c)] = p
	// The other states go on: the state gets copies of its chunk and results.
	own := copied(c).(*value.Map)
	call.Low, call.Running, call.Chunks = own, nil, nil
	began := r.o.Now()
	go func() {
		defer close(p.done)
		once := func() *value.Map {
			res, err := r.run(ctx, own, call)
			if err != nil {
				res = exception(own, err)
			}
			unify(res)
			conceal(own, res)
			return res
		}
		p.res = once()
		p.res.Set("start_time", clock(began))
		p.res.Set("duration", millis(r.o.Now().Sub(began)))
		p.res.Set("__parallel__", true)
		if own.Has("retry") {
			r.retryParallel(ctx, own, p, once)
		}
	}()
	return value.NewMap("name", get(c, "name"), "result", nil, "changes", value.NewMap(), "comment", "Started in a separate process")
}

// retryParallel repeats a parallel state according to its option retry.
func (r *Run) retryParallel(ctx context.Context, c *value.Map, p *parallel, once func() *value.Map) {
	how := r.retryOf(c)
	if r.o.Test {
		p.res.Set("comment", text(p.res, "comment")+"  "+how.preview())
		return
	}
	for n := 1; n <= how.attempts && get(p.res, "result") != how.until; n++ {
		wait := how.wait(r.o.Random)
		if r.o.Sleep(ctx, wait) != nil {
			return
		}
		before := p.res
		began := r.o.Now()
		p.res = once()
		took := r.o.Now().Sub(began)
		comment := ""
		if text(p.res, "comment") != "" {
			comment = attemptComment(n, p.res)
		}
		p.res.Set("comment", text(before, "comment")+"\n"+comment)
		p.res.Set("duration", before.Float("duration")+millis(took)+millis(wait))
		p.res.Set("start_time", get(before, "start_time"))
		p.res.Set("__parallel__", true)
	}
}

// reap stores the results of finished parallel states.
func (r *Run) reap() {
	for tag, p := range r.parallel {
		select {
		case <-p.done:
			r.settle(tag, p)
		default:
		}
	}
}

// await waits for a parallel state.
func (r *Run) await(tag string) {
	if p := r.parallel[tag]; p != nil {
		<-p.done
		r.settle(tag, p)
	}
}

func (r *Run) settle(tag string, p *parallel) {
	into := r.running.Map(tag)
	if into == nil {
		return // its result has no place yet
	}
	p.res.Range(func(k, v any) bool {
		into.Set(k, v)
		return true
	})
	delete(r.parallel, tag)
}

// awaitAll waits for all parallel states.
func (r *Run) awaitAll() {
	for tag, p := range r.parallel {
		<-p.done
		r.settle(tag, p)
	}
}
