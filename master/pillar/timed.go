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
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// timed are the pillars of pillar_cache: they count for pillar_cache_ttl, whatever happens
// to the files they came from. As in Salt a refresh of the minion ends that; unlike in Salt
// so do other grains.
type timed struct {
	life time.Duration
	dir  string // "": in memory alone
	now  func() time.Time
	log  *slog.Logger

	mu sync.Mutex
	m  *lru.Guarded[string, *value.Map] // of each minion: its file
}

// timedMinions is how many minions' pillars are in memory. On the disk there is one file a
// minion.
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

// slot names the pillar of a minion for a pair of environments.
func (r request) slot() string { return r.env + "\x00" + r.saltenv }

// of gives what is kept of a minion; t.mu is held. It may be nil.
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
		return nil // torn: the next one replaces it
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
	t.of(r.id).Range(func(k, v any) bool { // what is too old goes
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
		err = crypt.WriteFileLazy(filepath.Join(t.dir, r.id), b, 0o600)
	}
	if err != nil {
		t.log.Error("pillar not cached", "minion", r.id, "err", err)
	}
}

// maxSlots is how many pairs of environments of one minion are kept: it names them itself.
const maxSlots = 16

// maxSlotName bounds the names of such a pair, in bytes.
const maxSlotName = 512

// forget drops the pillars of a minion.
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

// Cached gives the pillar that pillar_cache has of a minion for an environment; nil: none.
// on is false without pillar_cache.
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
