package jinja

import (
	"math/big"
	"runtime"
	"runtime/metrics"
	"time"
)

// maxKeep is the divisor of the memory limit for live values after a recount. Live and
// uncollected values together stay below the limit then.
const maxKeep = 2

// recount computes how much of the counted memory is still alive. It is called between two
// top-level statements, where variables refer to everything that is alive.
func (r *Run) recount(s *scope) {
	c := counter{r: r, seen: map[any]bool{}}
	c.bytes = r.fixed
	for _, o := range r.outs {
		c.bytes += o.Cap()
	}
	c.vars(r.globals)
	c.root(r.ctxt)
	c.scope(s)
	for _, m := range r.modules {
		c.value(m, 0)
	}
	gone := r.bytes - c.bytes - r.waste.bytes
	r.bytes = c.bytes
	if r.bytes > r.limits.Memory/maxKeep {
		throwKind(KindLimit, "rendering%s exceeded %s of memory: its variables have %d bytes", r.ofName(), sizeText(r.limits.Memory), r.bytes)
	}
	if r.waste.add(gone); c.bytes+r.waste.bytes > r.limits.Memory/maxKeep {
		begun := time.Now()
		r.waste.collect()
		r.Work(int(time.Since(begun)))
	}
	r.bytes += r.waste.bytes
	r.soft = r.bytes + r.limits.Memory/(2*maxKeep)
}

// waste is memory that the run has dropped but the collector may not have freed yet. It
// counts towards the limit.
type waste struct {
	bytes  int
	cycles uint64 // of the collector, at the last addition
}

// add adds dropped memory. Two cycles of the collector free what was added before.
func (w *waste) add(n int) {
	now := collectorCycles()
	if now >= w.cycles+2 {
		w.bytes = 0
	}
	w.bytes += max(n, 0)
	w.cycles = now
}

// collect runs the collector.
func (w *waste) collect() {
	runtime.GC()
	*w = waste{cycles: collectorCycles()}
}

func collectorCycles() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// counter adds up the memory of values. Shared values count once.
type counter struct {
	r     *Run
	bytes int
	seen  map[any]bool
}

// first reports whether v is visited for the first time.
func (c *counter) first(v any) bool {
	c.r.Work(8 * visitWork)
	if c.seen[v] {
		return false
	}
	c.seen[v] = true
	c.bytes += smallBytes
	return true
}

func (c *counter) vars(m map[string]any) {
	for _, v := range m {
		c.bytes += pairBytes
		c.value(v, 0)
	}
}

func (c *counter) root(t *scopeRoot) {
	if t != nil && c.first(t) {
		c.vars(t.parent)
		c.vars(t.vars)
	}
}

func (c *counter) scope(s *scope) {
	for ; s != nil && c.first(s); s = s.outer {
		c.vars(s.vars)
	}
}

func (c *counter) items(items []any, depth int) {
	c.r.Walk(len(items))
	c.bytes += cap(items) * slotBytes
	for _, e := range items {
		c.value(e, depth+1)
	}
}

func (c *counter) dict(d *Dict, depth int) {
	c.r.Walk(len(d.keys))
	c.bytes += d.Len() * pairBytes
	for i, k := range d.keys {
		c.value(k, depth+1)
		c.value(d.vals[i], depth+1)
	}
}

func (c *counter) value(v any, depth int) {
	if depth > 10*maxNested {
		throwKind(KindLimit, "values are nested more than %d deep", 10*maxNested)
	}
	switch v := v.(type) {
	case string:
		c.bytes += len(v) + boxBytes
	case Bytes:
		c.bytes += len(v) + boxBytes
	case *big.Int:
		c.bytes += v.BitLen()/8 + smallBytes
	case int64, float64:
		c.bytes += 8
	case *List:
		if c.first(v) {
			c.items(v.Items, depth)
		}
	case Tuple:
		if len(v) > 0 && c.first(&v[0]) {
			c.items(v, depth)
		}
	case *Dict:
		if c.first(v) {
			c.dict(v, depth)
		}
	case *Set:
		if c.first(v) {
			c.dict(&v.d, depth)
		}
	case *DictView:
		c.value(v.d, depth+1)
	case *Namespace:
		c.value(v.d, depth+1)
	case *Iter:
		if c.first(v) {
			c.items(v.items, depth)
		}
	case *Method:
		c.value(v.self, depth+1)
	case *Undefined:
		c.bytes += len(v.text) + smallBytes
	case *Func:
		if v.Holds != nil && c.first(v) {
			c.value(v.Holds, depth+1)
		}
	case *Module:
		if c.first(v) {
			c.bytes += len(v.text)
			c.root(v.root)
		}
	case *Macro:
		if c.first(v) {
			c.root(v.root)
			c.scope(v.scope)
		}
	case *Loop:
		if c.first(v) {
			c.items(v.items, depth)
			c.value(v.last, depth+1)
			c.root(v.root)
			c.scope(v.scope)
		}
	case *cycler:
		if c.first(v) {
			c.items(v.items, depth)
		}
	}
}
