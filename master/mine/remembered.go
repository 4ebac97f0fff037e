package mine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

const (
	// maxQuestions limits the queries with cached answers. maxAnswer limits an answer on disk, in
	// bytes; a larger one is cached until the master ends.
	maxQuestions = 128
	maxAnswer    = 8 << 20
	// maxRemembered limits the cache in memory, in bytes.
	maxRemembered = 64 << 20
)

// cachedAnswer is the last answer of the rest of the tree.
type cachedAnswer struct {
	at     time.Time // zero: from a previous run of this master
	others []other
	bytes  int
	sum    [sha256.Size]byte // of the file content
}

// remembered caches the last answer of the rest of the tree to each query, on disk too. So entries
// of a node that is away survive a restart of the master above it.
type remembered struct {
	dir string
	log *slog.Logger

	mu      sync.Mutex
	answers *lru.Guarded[string, *cachedAnswer]
	size    int
}

func newRemembered(cachedir string, log *slog.Logger) *remembered {
	r := &remembered{dir: filepath.Join(cachedir, "mine_elsewhere"), log: log}
	r.answers = lru.NewGuarded(maxQuestions, func(key string, t *cachedAnswer) {
		r.size -= t.bytes
		r.remove(r.path(key))
	})
	r.sweep()
	return r
}

func (r *remembered) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(r.dir, hex.EncodeToString(sum[:])+".p")
}

// sweep removes the oldest files beyond the limit.
func (r *remembered) sweep() {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return // nothing written yet
	}
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".p") {
			files = append(files, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, f := range files[min(len(files), maxQuestions):] {
		r.remove(filepath.Join(r.dir, f.name))
	}
}

func (r *remembered) remove(path string) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.log.Warn("mine reports of nodes not removed", "err", err)
	}
}

// get returns the last answer to a query, or nil.
func (r *remembered) get(key string) *cachedAnswer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.answers.Get(key); ok {
		return t
	}
	b, err := os.ReadFile(r.path(key))
	if err != nil {
		return nil
	}
	t := &cachedAnswer{sum: sha256.Sum256(b)}
	if t.others, err = readOthers(b, key); err != nil {
		r.log.Warn("saved mine reports of nodes unreadable", "path", r.path(key), "err", err)
		return nil
	}
	r.enter(key, t)
	return t
}

// put stores the answer to a query. It writes the file only if the answer has changed.
func (r *remembered) put(key string, others []other, at time.Time) {
	b, err := packOthers(others, key)
	if err != nil {
		r.log.Error("mine reports of nodes not saved", "err", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &cachedAnswer{at: at, others: others, sum: sha256.Sum256(b)}
	old, ok := r.answers.Get(key)
	r.enter(key, t)
	if ok && old.sum == t.sum || len(b) > maxAnswer || len(others) == 0 && !ok {
		return
	}
	if err = os.MkdirAll(r.dir, 0o700); err == nil {
		err = durable.WriteFileLazy(r.path(key), b, 0o600)
	}
	if err != nil {
		r.log.Error("mine reports of nodes not saved", "err", err)
	}
}

// enter adds an answer to the cache and evicts others. The caller holds mu.
func (r *remembered) enter(key string, t *cachedAnswer) {
	for _, o := range t.others {
		t.bytes += o.bytes()
	}
	if old, ok := r.answers.Peek(key); ok {
		r.size -= old.bytes
	}
	r.answers.Add(key, t)
	r.size += t.bytes
	for r.size > maxRemembered && r.answers.Len() > 1 {
		r.answers.RemoveOldest()
	}
}

// packOthers encodes the content of a file: the query, and [id, via, {name: entry}] of each minion.
func packOthers(others []other, key string) ([]byte, error) {
	list := make([]any, len(others))
	for i, o := range others {
		m := wire.NewMap()
		for _, name := range sortedNames(o.entries) {
			m.Set(name, o.entries[name])
		}
		list[i] = []any{o.id, o.via, m}
	}
	return wire.Encode(wire.NewMap("key", []byte(key), "minions", list))
}

var errForeign = errors.New("it is not the answer to this question")

func readOthers(b []byte, key string) (out []other, err error) {
	same := false
	err = wire.Fields(b, func(field string, val wire.Raw) error {
		switch field {
		case "key":
			k, err := wire.Bytes(val)
			same = string(k) == key
			return err
		case "minions":
			return wire.Elems(val, func(_ int, one wire.Raw) error {
				o := other{entries: map[string]wire.Raw{}}
				err := wire.Elems(one, func(i int, v wire.Raw) (err error) {
					switch i {
					case 0:
						o.id, err = wire.Str(v)
					case 1:
						o.via, err = wire.Str(v)
					case 2:
						err = wire.Fields(v, func(name string, e wire.Raw) error {
							o.entries[name] = e
							return nil
						})
					}
					return err
				})
				out = append(out, o)
				return err
			})
		}
		return nil
	})
	if err == nil && !same {
		err = errForeign
	}
	return out, err
}
