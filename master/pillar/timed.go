package pillar

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// timed holds the pillars of pillar_cache. They are valid for pillar_cache_ttl, even if their files
// change. As in Salt a refresh of the minion drops them; unlike in Salt changed grains do, too.
type timed struct {
	life time.Duration
	dir  string // "": in memory only
	now  func() time.Time
	log  *slog.Logger

	mu sync.Mutex
	m  *lru.Guarded[string, *value.Map] // by minion, with the content of its file
}

// timedMinions limits the minions in memory. On disk there is one file for each minion.
const timedMinions = 10_000

func openTimed(c *config.Master, now func() time.Time, log *slog.Logger) (*timed, error) {
	t := &timed{life: c.PillarCacheTtl, now: now, log: log, m: lru.NewGuarded[string, *value.Map](timedMinions, nil)}
	if c.PillarCacheBackend != "disk" {
		return t, nil
	}
	t.dir = filepath.Join(c.Cachedir, "pillar_cache")
	if err := durable.Folder(t.dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of pillar_cache: %w", err)
	}
	return t, nil
}

// slot names a pair of environments in the file of a minion.
func (r request) slot() string { return r.env + "\x00" + r.saltenv }

// of returns the cached pillars of a minion, or nil. The caller holds t.mu.
func (t *timed) of(id string) *value.Map {
	if m, ok := t.m.Get(id); ok {
		return m
	}
	if t.dir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(t.dir, id))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.log.Warn("cached pillar unreadable, compiling again", "minion", id, "err", err)
		}
		return nil
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return nil // truncated: the next write replaces it
	}
	t.m.Add(id, m)
	return m
}

func (t *timed) get(r request, asked [sha256.Size]byte) (wire.Raw, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.of(r.id).Map(r.slot())
	age := t.now().Sub(time.Unix(0, e.Int("at")))
	if e == nil || age < 0 || age > t.life || string(e.Bytes("grains")) != string(asked[:]) {
		return nil, false
	}
	return e.Bytes("pillar"), true
}

func (t *timed) put(r request, asked [sha256.Size]byte, raw wire.Raw) {
	if len(r.slot()) > maxSlotName {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := value.NewMap()
	t.of(r.id).Range(func(k, v any) bool { // drop expired entries
		if e, ok := v.(*value.Map); ok && t.now().Sub(time.Unix(0, e.Int("at"))) <= t.life && all.Len() < maxSlots {
			all.Set(k, e)
		}
		return true
	})
	all.Set(r.slot(), value.NewMap("at", t.now().UnixNano(), "grains", asked[:], "pillar", []byte(raw)))
	t.m.Add(r.id, all)
	if t.dir == "" {
		return
	}
	b, err := wire.EncodeBus(all)
	if err == nil {
		err = durable.WriteFileLazy(filepath.Join(t.dir, r.id), b, 0o600)
	}
	if err != nil {
		t.log.Error("pillar not cached", "minion", r.id, "err", err)
	}
}

// maxSlots limits the cached environment pairs of one minion, which the minion chooses.
const maxSlots = 16

// maxSlotName limits the names of such a pair, in bytes.
const maxSlotName = 512

// forget drops the pillars of a minion, or those in memory of all for "".
func (t *timed) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == "" {
		t.m.Purge()
		return
	}
	t.m.Remove(id)
	if t.dir == "" {
		return
	}
	if err := os.Remove(filepath.Join(t.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.log.Error("cached pillar not removed", "minion", id, "err", err)
	}
}

// Cached returns the pillar in pillar_cache for a minion and environment, or nil. on is false
// without pillar_cache.
func (c *Compiler) Cached(id, pillarenv string) (p *value.Map, on bool) {
	if c.ttl == nil {
		return nil, false
	}
	c.ttl.mu.Lock()
	defer c.ttl.mu.Unlock()
	c.ttl.of(id).Range(func(k, v any) bool {
		e, ok := v.(*value.Map)
		if !ok || !strings.HasPrefix(fmt.Sprint(k), pillarenv+"\x00") || c.now().Sub(time.Unix(0, e.Int("at"))) > c.ttl.life {
			return true
		}
		p, _ = decoded(e.Bytes("pillar"))
		return p == nil
	})
	return p, true
}
