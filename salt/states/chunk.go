package states

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// maxRounds is how often the requisites of a chunk are checked again after others ran.
const maxRounds = 20

// chunk runs a chunk, after those it requires, if its requisites allow it.
func (r *Run) chunk(ctx context.Context, c *value.Map, chunks []*value.Map, round int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Each chunk can be active at most once for itself and once for prereq. A deeper
	// recursion means states that wait for each other by prereq.
	if r.depth++; r.depth > (len(chunks)+1)*(maxRounds+2) {
		return &RecursionError{Tag(c)}
	}
	defer func() { r.depth-- }()
	if err := r.initModule(ctx, c, chunks); err != nil {
		return err
	}
	tag := Tag(c)
	if !pyfmt.Truth(get(c, "prerequired")) {
		r.active[tag] = true
	}
	asked := pyfmt.Truth(get(c, "__prereq__"))
	st, reqs, err := r.check(c, chunks, !asked)
	if err != nil {
		return err
	}
	switch st {
	case unmet:
		done, err := r.unmet(ctx, c, chunks, tag, round)
		if err != nil || done {
			return err
		}
	case met:
		err = r.runInto(ctx, c, chunks, tag, asked)
	case fail:
		r.requisiteFailed(c, reqs, tag)
	case change:
		if asked {
			err = r.runInto(ctx, c, chunks, tag, true)
			break
		}
		err = r.watched(ctx, c, chunks, reqs, tag)
	case pre:
		res := r.notRun(c, true, "No changes detected", true)
		r.running.Set(tag, res)
		r.pre.Set(tag, res)
	case onfail:
		r.running.Set(tag, r.skipped(c, "State was not run because onfail req did not change"))
	case onchanges:
		r.running.Set(tag, r.skipped(c, "State was not run because none of the onchanges reqs changed"))
	}
	if err != nil {
		return err
	}
	if res := r.running.Map(tag); res != nil {
		r.event(ctx, res, len(chunks), get(c, "fire_event"))
	}
	return nil
}

func get(m *value.Map, key string) any {
	v, _ := m.Get(key)
	return v
}

// initModule runs mod_init of a module before the first of its states.
func (r *Run) initModule(ctx context.Context, c *value.Map, chunks []*value.Map) error {
	module := c.String("state")
	if r.modInit[module] {
		return nil
	}
	if _, ok := r.o.Functions.Spec(module + "." + c.String("fun")); !ok {
		return nil
	}
	spec, ok := r.o.Functions.Spec(module + ".mod_init")
	if !ok {
		return nil
	}
	call, _ := r.bind(module+".mod_init", spec, c, chunks)
	res, err := r.o.Functions.Run(ctx, call)
	if err != nil {
		return fmt.Errorf("%s.mod_init: %w", module, err)
	}
	if pyfmt.Truth(res.Result) {
		r.modInit[module] = true
	}
	return nil
}

// runInto runs a chunk and stores its result: with the others, or with those that prereq
// asked for.
func (r *Run) runInto(ctx context.Context, c *value.Map, chunks []*value.Map, tag string, asked bool) error {
	res, err := r.call(ctx, c, chunks, 1)
	if err != nil {
		return err
	}
	if asked {
		r.pre.Set(tag, res)
	} else {
		r.running.Set(tag, res)
	}
	return nil
}

// watched runs a chunk whose watched chunk has changed, and its mod_watch if the chunk
// itself changes nothing.
func (r *Run) watched(ctx context.Context, c *value.Map, chunks []*value.Map, reqs *value.Map, tag string) error {
	res, err := r.call(ctx, c, chunks, 1)
	if err != nil {
		return err
	}
	if !pyfmt.Truth(get(res, "changes")) && !pyfmt.Truth(get(res, "skip_watch")) {
		c = c.Clone()
		c.Set("sfun", get(c, "fun"))
		c.Set("fun", "mod_watch")
		c.Set("__reqs__", reqs)
		if res, err = r.call(ctx, c, chunks, 1); err != nil {
			return err
		}
	}
	r.running.Set(tag, res)
	return nil
}

// unmet runs the chunks that a chunk requires, and then the chunk. done is true if the
// chunk has its result, or will never get one.
func (r *Run) unmet(ctx context.Context, c *value.Map, chunks []*value.Map, tag string, round int) (done bool, err error) {
	asked := pyfmt.Truth(get(c, "__prereq__"))
	reqs, lost, err := r.required(c, chunks)
	if err != nil {
		return true, err
	}
	if lost != "" {
		res := r.notRun(c, false, "The following requisites were not found:\n"+lost, true)
		if asked {
			r.pre.Set(tag, res)
		} else {
			r.running.Set(tag, res)
		}
		r.event(ctx, res, len(chunks), get(c, "fire_event"))
		return true, nil
	}
	for _, req := range reqs {
		other := Tag(req)
		if r.running.Has(other) {
			continue
		}
		if r.active[other] {
			return true, r.recursive(ctx, c, req, chunks, tag, other)
		}
		if err := r.chunk(ctx, req, chunks, 0); err != nil {
			return true, err
		}
		if r.failsHard(req) {
			r.failhard = true
			return true, nil
		}
	}
	switch {
	case asked:
		st, _, err := r.check(c, chunks, false)
		if err != nil {
			return true, err
		}
		res, err := r.call(ctx, c, chunks, 1)
		if err != nil {
			return true, err
		}
		r.pre.Set(tag, res)
		if !pyfmt.Truth(get(res, "changes")) && st == change {
			res.Set("changes", value.NewMap("watch", "watch"))
			res.Set("result", nil)
		}
	case round+1 >= maxRounds:
		r.running.Set(tag, r.recursiveResult(c))
	default:
		if err := r.chunk(ctx, c, chunks, round+1); err != nil {
			return true, err
		}
	}
	if len(reqs) > 0 && r.failsHard(reqs[len(reqs)-1]) {
		r.failhard = true
		return true, nil
	}
	return false, nil
}

// recursive handles a required chunk that waits for this one.
func (r *Run) recursive(ctx context.Context, c, req *value.Map, chunks []*value.Map, tag, other string) error {
	if pyfmt.Truth(get(req, "__prerequired__")) {
		// The other runs if this one would change something: ask it.
		if r.pre.Has(tag) {
			return nil
		}
		c.Set("__prereq__", true)
		res, err := r.call(ctx, c, chunks, 1)
		if err != nil {
			return err
		}
		r.pre.Set(other, res)
		return nil
	}
	r.o.Log.Error("states require each other", "state", tag, "requires", other)
	res := r.recursiveResult(c)
	r.running.Set(tag, res)
	r.runNum++
	r.event(ctx, res, len(chunks), get(c, "fire_event"))
	return nil
}

func (r *Run) recursiveResult(c *value.Map) *value.Map {
	res := value.NewMap("changes", value.NewMap(), "result", false, "comment", "Recursive requisite found", "__run_num__", r.runNum)
	identify(res, c)
	return res
}

// required returns the chunks that must run before this one. lost lists those that do not
// exist, one per line.
func (r *Run) required(c *value.Map, chunks []*value.Map) (reqs []*value.Map, lost string, err error) {
	list := lookups
	if !pyfmt.Truth(get(c, "__prereq__")) {
		list = append(slices.Clone(lookups), "prerequired")
	}
	var b strings.Builder
	for _, kind := range list {
		head := false
		for _, req := range asIterated(get(c, kind)) {
			k, to, ok := pairOf(req)
			var found []*value.Map
			if ok && to != nil {
				if found, err = named(chunks, k, to); err != nil {
					return nil, "", err
				}
			}
			for _, one := range found {
				switch kind {
				case "prereq":
					one.Set("__prereq__", true)
				case "prerequired":
					if k != "sls" {
						one.Set("__prerequired__", true)
					}
				}
			}
			reqs = append(reqs, found...)
			if len(found) > 0 || r.emptySLS(k, to) {
				continue
			}
			if !head {
				head = true
				fmt.Fprintf(&b, "%19s%s:\n", "", kind)
			}
			fmt.Fprintf(&b, "%23s%s: %s\n", "", k, str(to))
		}
	}
	return reqs, b.String(), nil
}

// requisiteFailed sets the result of a chunk whose requisite has failed.
func (r *Run) requisiteFailed(c, reqs *value.Map, tag string) {
	if before := r.pre.Map(tag); before != nil {
		// It reported what it would change, but will not change it.
		if pyfmt.Truth(get(before, "changes")) {
			before.Set("changes", value.NewMap())
		}
		before.Set("__run_num__", r.runNum)
		identify(before, c)
		r.running.Set(tag, before)
		r.runNum++
		return
	}
	var failed []string
	reqs.Range(func(_, list any) bool {
		for _, v := range listOf(list) {
			req := v.(*value.Map)
			t := Tag(req)
			res := r.pre.Map(t)
			if res == nil {
				res = r.running.Map(t)
			}
			if name := text(req, "__sls__") + "." + text(req, "__id__"); res != nil && get(res, "result") == false && !slices.Contains(failed, name) {
				failed = append(failed, name)
			}
		}
		return true
	})
	res := r.notRun(c, false, "One or more requisite failed: "+strings.Join(failed, ", "), true)
	r.running.Set(tag, res)
	r.pre.Set(tag, res)
}

// notRun returns the result of a chunk that was not called.
func (r *Run) notRun(c *value.Map, result any, comment string, timed bool) *value.Map {
	res := value.NewMap("changes", value.NewMap(), "result", result)
	if timed {
		res.Set("duration", 0.0)
		res.Set("start_time", clock(r.o.Now()))
	}
	res.Set("comment", comment)
	res.Set("__run_num__", r.runNum)
	r.runNum++
	identify(res, c)
	return res
}

// skipped returns the result of a chunk whose onfail or onchanges was not met.
func (r *Run) skipped(c *value.Map, comment string) *value.Map {
	res := r.notRun(c, true, comment, true)
	res.Set("__state_ran__", false)
	return res
}

// identify sets the fields of a result that identify its chunk.
func identify(res, c *value.Map) {
	for _, key := range []string{"__sls__", "__id__", "name"} {
		res.Set(key, get(c, key))
	}
}

// RecursionError means that states wait for each other, which shows only while they run. It
// ends the run.
type RecursionError struct{ Tag string }

func (e *RecursionError) Error() string {
	return fmt.Sprintf("Recursive requisite found: %s waits for itself", e.Tag)
}
