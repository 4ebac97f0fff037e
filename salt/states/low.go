package states

import (
	"fmt"
	"slices"

	"github.com/momtree/mom/value"
)

// Chunks compiles high data to low data: one map for each state and name, in running order.
func (r *Run) Chunks(high *value.Map) ([]*value.Map, error) {
	var chunks []*value.Map
	high.Range(func(id, b any) bool {
		if hidden(id) {
			return true
		}
		body := mapOf(b)
		body.Range(func(k, run any) bool {
			if !hidden(k) {
				chunks = append(chunks, r.chunksOf(id, body, str(k), listOf(run))...)
			}
			return len(chunks) <= r.o.MaxChunks
		})
		return len(chunks) <= r.o.MaxChunks
	})
	//mutant:state-run-size
	if len(chunks) > r.o.MaxChunks {
		return nil, fmt.Errorf("the SLS files make more than %d states: run them in parts", r.o.MaxChunks)
	}
	return ordered(chunks), nil
}

// chunksOf returns the chunks of one declaration.
func (r *Run) chunksOf(id any, body *value.Map, module string, args []any) []*value.Map {
	chunk := value.NewMap("state", module, "name", id)
	if r.o.OrchestrationJID != "" {
		chunk.Set("__orchestration_jid__", r.o.OrchestrationJID)
	}
	for _, key := range []string{"__sls__", "__env__"} {
		if v, ok := body.Get(key); ok {
			chunk.Set(key, v)
		}
	}
	chunk.Set("__id__", id)
	var funs []string
	var names []any
	for _, a := range args {
		switch a := a.(type) {
		case string:
			if !slices.Contains(funs, a) {
				funs = append(funs, a)
			}
		case *value.Map:
			a.Range(func(k, v any) bool {
				_, text := v.(string)
				switch {
				case k == "names":
					for _, n := range listOf(v) {
						if !has(names, n) {
							names = append(names, n)
						}
					}
				case k == "state":
				case k == "name" && !text:
					chunk.Set(k, id)
				default:
					chunk.Set(k, v)
				}
				return true
			})
		}
	}
	if len(names) == 0 {
		names = []any{nil}
	}
	var out []*value.Map
	for i, n := range names {
		for _, fun := range funs {
			live := copied(chunk).(*value.Map)
			nameChunk(live, n, i)
			live.Set("fun", fun)
			out = append(out, live)
		}
		if len(out) > r.o.MaxChunks {
			break
		}
	}
	return out
}

// nameChunk sets one of the names of a chunk, with the arguments for that name.
func nameChunk(live *value.Map, name any, i int) {
	if name == nil {
		return
	}
	if m, ok := name.(*value.Map); ok {
		if m.Len() == 0 {
			return
		}
		k := m.Keys()[0]
		live.Set("name", k)
		v, _ := m.GetKey(k)
		for _, a := range listOf(v) {
			mapOf(a).Range(func(k, v any) bool {
				live.Set(k, copied(v))
				return true
			})
		}
	} else {
		live.Set("name", name)
	}
	live.Set("name_order", int64(i+1))
}

// ordered sorts chunks by their order: of definition, or that of the option order.
func ordered(chunks []*value.Map) []*value.Map {
	limit := int64(1)
	for _, c := range chunks {
		if n, ok := integer(c, "order"); ok && n > limit-1 && n > 0 {
			limit = n + 100
		}
	}
	for _, c := range chunks {
		orderChunk(c, limit)
	}
	keys := make(map[*value.Map]string, len(chunks))
	for _, c := range chunks {
		keys[c] = text(c, "state") + text(c, "name") + text(c, "fun")
	}
	slices.SortStableFunc(chunks, func(a, b *value.Map) int {
		switch x, y := a.Float("order"), b.Float("order"); {
		case x < y:
			return -1
		case x > y:
			return 1
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	return chunks
}

func orderChunk(c *value.Map, limit int64) {
	v, ok := c.Get("order")
	if !ok {
		c.Set("order", limit)
		return
	}
	if b, ok := v.(bool); ok {
		v = int64(0)
		if b {
			v = int64(1)
		}
		c.Set("order", v)
	}
	if !isNumber(v) {
		switch v {
		case "last":
			v = limit + 1_000_000
		case "first":
			v = int64(0)
		default:
			v = limit
		}
		c.Set("order", v)
	}
	if c.Has("name_order") {
		c.Set("order", c.Float("order")+c.Float("name_order")/10000)
		c.Delete("name_order")
	}
	if c.Float("order") < 0 {
		if n, ok := integer(c, "order"); ok {
			c.Set("order", limit+1_000_000+n)
		} else {
			c.Set("order", float64(limit+1_000_000)+c.Float("order"))
		}
	}
}

func integer(m *value.Map, key string) (int64, bool) {
	v, _ := m.Get(key)
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	}
	return 0, false
}

// text returns the value of key as Python's str does.
func text(m *value.Map, key string) string {
	v, _ := m.Get(key)
	return str(v)
}

// Tag returns the key of a chunk in the results.
func Tag(c *value.Map) string {
	return text(c, "state") + "_|-" + text(c, "__id__") + "_|-" + text(c, "name") + "_|-" + text(c, "fun")
}
