package states

import (
	"context"
	"fmt"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// listener is a state with listen: its module and name, and what it listens to.
type listener struct {
	module string
	name   any
	to     []any
}

// listen runs mod_watch, after all states, for those that listen to a changed one.
func (r *Run) listen(ctx context.Context, chunks []*value.Map) error {
	var watchers []*value.Map
	errs := value.NewMap()
	missing := func(module string, name any) {
		n := fmt.Sprintf("%s:%s", module, str(name))
		tag := fmt.Sprintf("Listen_Error_|-listen_%s_|-listen_%s_|-Listen_Error", str(name), module)
		errs.Set(tag, value.NewMap("comment", fmt.Sprintf("Referenced state %s: %s does not exist", module, str(name)),
			"name", "listen_"+n, "result", false, "changes", value.NewMap()))
	}
	for _, l := range listeners(chunks) {
		for _, to := range l.to {
			pair := r.listenedTo(to, chunks)
			pair.Range(func(k, name any) bool {
				module := str(k)
				heard := references(chunks, module, name)
				if len(heard) == 0 {
					missing(module, name)
					return true
				}
				for _, c := range heard {
					res := r.running.Map(Tag(c))
					if res == nil || !pyfmt.Truth(get(res, "changes")) {
						continue
					}
					mine := references(chunks, l.module, l.name)
					if len(mine) == 0 {
						missing(l.module, l.name)
						continue
					}
					for _, m := range mine {
						watchers = append(watchers, asWatcher(m))
					}
				}
				return true
			})
		}
	}
	r.failhard = false // a failed state does not prevent listeners from running
	if err := r.chunks(ctx, watchers); err != nil {
		return err
	}
	errs.Range(func(tag, res any) bool {
		mapOf(res).Set("__run_num__", r.runNum)
		r.runNum++
		r.running.Set(tag, res)
		return true
	})
	return nil
}

// listeners returns the states with listen, and those that listen_in of others names.
func listeners(chunks []*value.Map) []listener {
	var out []listener
	for _, c := range chunks {
		if c.Has("listen") {
			out = append(out, listener{module: c.String("state"), name: get(c, "__id__"), to: c.List("listen")})
		}
		for _, in := range c.List("listen_in") {
			mapOf(in).Range(func(k, name any) bool {
				out = append(out, listener{module: str(k), name: name, to: []any{value.NewMap(c.String("state"), get(c, "__id__"))}})
				return true
			})
		}
	}
	return out
}

// listenedTo converts an entry of listen to {module: name}.
func (r *Run) listenedTo(to any, chunks []*value.Map) *value.Map {
	if m, ok := to.(*value.Map); ok {
		return m
	}
	for i := len(chunks) - 1; i >= 0; i-- {
		c := chunks[i]
		if same(get(c, "__id__"), to) || same(get(c, "name"), to) {
			return value.NewMap(c.String("state"), get(c, "__id__"))
		}
	}
	return nil
}

// references returns the chunks of a module with that ID or name.
func references(chunks []*value.Map, module string, name any) []*value.Map {
	var out []*value.Map
	seen := map[string]bool{}
	for _, c := range chunks {
		if c.String("state") != module || !same(get(c, "__id__"), name) && !same(get(c, "name"), name) && name != module {
			continue
		}
		key := text(c, "__id__") + "\x00" + text(c, "name")
		if seen[key] {
			// Of several with the same ID and name, the last counts.
			for i, o := range out {
				if text(o, "__id__")+"\x00"+text(o, "name") == key {
					out[i] = c
				}
			}
			continue
		}
		seen[key] = true
		out = append(out, c)
	}
	return out
}

// asWatcher returns the chunk that calls mod_watch of a listening state.
func asWatcher(c *value.Map) *value.Map {
	w := c.Clone()
	w.Set("sfun", get(c, "fun"))
	w.Set("fun", "mod_watch")
	w.Set("__id__", "listener_"+text(c, "__id__"))
	for _, req := range requisites {
		w.Delete(req)
	}
	return w
}
