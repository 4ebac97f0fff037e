package pillar

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

const (
	// keptPillars limits the number of cached pillars, keptPillar the bytes of one.
	keptPillars = 20_000
	keptPillar  = 256 << 10
	// keptTotal limits their total size, in bytes.
	keptTotal = 256 << 20
)

// request is the cache key of a pillar.
type request struct{ id, env, saltenv string }

// entry is a cached pillar with its inputs.
type entry struct {
	asked [sha256.Size]byte // of the grains
	raw   wire.Raw
	read  *reading
}

// size returns the approximate memory of an entry, in bytes.
func (e entry) size() int {
	n := len(e.raw)
	for d, was := range e.read.states {
		n += len(d.env) + len(d.path) + len(was) + stateOverhead
	}
	return n
}

const stateOverhead = 100

// kept caches pillars. Each lookup compares grains and files with those of the compilation, so the
// result is never stale.
type kept struct {
	mu    sync.Mutex
	m     *lru.Guarded[request, entry]
	of    map[string][]request // cache keys by minion, oldest first
	bytes int
}

func newKept() *kept {
	k := &kept{of: map[string][]request{}}
	k.m = lru.NewGuarded(keptPillars, func(r request, e entry) {
		k.bytes -= e.size()
		if k.of[r.id] = slices.DeleteFunc(k.of[r.id], func(o request) bool { return o == r }); len(k.of[r.id]) == 0 {
			delete(k.of, r.id)
		}
	})
	return k
}

func (k *kept) get(r request) (entry, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.m.Get(r)
}

func (k *kept) put(r request, e entry) {
	if len(e.raw) > keptPillar {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.m.Remove(r)
	//mutant:pillar-kept-of-one
	if own := k.of[r.id]; len(own) >= maxSlots { // the minion chooses the environments: evict its own
		k.m.Remove(own[0])
	}
	k.m.Add(r, e)
	k.of[r.id] = append(k.of[r.id], r)
	for k.bytes += e.size(); k.bytes > keptTotal; {
		k.m.RemoveOldest()
	}
}

// forget drops the pillars of a minion, or of all for "", and returns their number.
func (k *kept) forget(id string) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id == "" {
		n = k.m.Len()
		k.m.Purge()
		return n
	}
	for _, r := range slices.Clone(k.of[id]) {
		k.m.Remove(r)
		n++
	}
	return n
}

// Forget drops the cached pillars of a minion, or of all for "".
func (c *Compiler) Forget(id string) {
	c.kept.forget(id)
	if c.ttl != nil {
		c.ttl.forget(id)
	}
}

// plain reports whether a request may use and fill the cache: not with an override or sources of
// its own.
func (r Request) plain() bool { return r.Override.Len() == 0 && r.Ext == nil && !r.Passing }

func (r Request) key() request { return request{r.ID, r.Pillarenv, r.Saltenv} }

// sum returns a hash of the grains. ok is false if they cannot be encoded; such a pillar is not
// cached.
func sum(grains *value.Map) (s [sha256.Size]byte, ok bool) {
	raw, err := wire.EncodeBus(grains)
	if err != nil {
		return s, false
	}
	return sha256.Sum256(raw), true
}

// fromCache returns a cached pillar that is still valid.
func (c *Compiler) fromCache(r Request) (*value.Map, bool) {
	if !r.plain() || r.Fresh {
		return nil, false
	}
	asked, ok := sum(r.Grains)
	if !ok {
		return nil, false
	}
	if c.ttl != nil {
		if raw, ok := c.ttl.get(r.key(), asked); ok {
			return decoded(raw)
		}
		return nil, false
	}
	e, ok := c.kept.get(r.key())
	//mutant:pillar-kept-by-files,pillar-kept-by-grains
	if !ok || e.asked != asked || !e.read.current(c.begin(r).files) {
		return nil, false
	}
	return decoded(e.raw)
}

func decoded(raw wire.Raw) (*value.Map, bool) {
	m, err := wire.DecodeMap(raw)
	return m, err == nil
}

// intoCache caches a pillar without errors whose recompilation would yield the same.
func (c *Compiler) intoCache(r Request, p *pass, out *value.Map) {
	if !r.plain() || out.Has("_errors") || c.ttl == nil && p.seen.impure != "" {
		return
	}
	asked, ok := sum(r.Grains)
	raw, err := wire.EncodeBus(out)
	if !ok || err != nil {
		return
	}
	if c.ttl != nil {
		c.ttl.put(r.key(), asked, raw)
		return
	}
	read := p.seen
	read.opts, read.names = nil, nil
	if !read.current(p.files) { // an input changed during the compilation
		return
	}
	c.kept.put(r.key(), entry{asked: asked, raw: raw, read: read})
}
