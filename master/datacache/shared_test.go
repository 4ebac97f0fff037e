package datacache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/value"
)

// outside is a store that several caches share, and that can be away.
type outside struct {
	mu    sync.Mutex
	data  map[string][]byte
	away  bool
	calls int
}

var errAway = errors.New("away")

func (o *outside) use(do func()) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if o.away {
		return errAway
	}
	do()
	return nil
}

func (o *outside) Fetch(_ context.Context, bank, key string) (b []byte, err error) {
	err = o.use(func() { b = o.data[bank+"/"+key] })
	return b, err
}

func (o *outside) Store(_ context.Context, bank, key string, v []byte, _ time.Time) error {
	return o.use(func() { o.data[bank+"/"+key] = v })
}

func (o *outside) Flush(_ context.Context, bank string) error {
	return o.use(func() { delete(o.data, bank+"/"+dataKey) })
}

func (o *outside) Close() error { return nil }

func (o *outside) set(away bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away = away
}

// Two masters share the data of minions: each sees within seconds what the other stored. While the store is away
// each has its own copy, asks at most every 5 s, and stores later what it got.
func TestShared(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	store := &outside{data: map[string][]byte{}}
	open := func() *Cache {
		c := New(t.TempDir(), bounds.Bounds{})
		c.Share(store, slog.New(slog.DiscardHandler), clock)
		return c
	}
	a, b := open(), open()
	put := func(c *Cache, id, os string) {
		t.Helper()
		if err := c.Put(id, value.NewMap("os", os), nil); err != nil {
			t.Fatal(err)
		}
	}
	check := func(c *Cache, id, want string) {
		t.Helper()
		got := ""
		if d := c.Get(id); d != nil {
			got = d.Grains.(*value.Map).String("os")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	check(b, "m", "")
	put(a, "m", "Debian")
	check(b, "m", "") // read a moment ago
	now = now.Add(sharedFor)
	check(b, "m", "Debian")
	put(b, "m", "Arch")
	check(b, "m", "Arch")
	now = now.Add(sharedFor)
	check(a, "m", "Arch")

	store.set(true)
	put(b, "m", "Alpine")
	now = now.Add(sharedRest)
	check(b, "m", "Alpine") // its own copy is newer
	check(a, "m", "Debian") // so is this, which nobody can know
	before := store.calls
	for range 10 {
		put(a, "n", "Void")
		b.Tend()
		a.Tend()
	}
	if store.calls > before+2 {
		t.Errorf("%d requests to a store that is away", store.calls-before)
	}
	store.set(false)
	now = now.Add(sharedRest)
	a.Tend()
	b.Tend()
	now = now.Add(sharedFor)
	check(a, "m", "Alpine")
	check(b, "n", "Void")
	if len(a.shared.behind)+len(b.shared.behind) != 0 {
		t.Errorf("behind: %v, %v", a.shared.behind, b.shared.behind)
	}
	store.set(true)
	if err := a.Remove("m"); err != nil { // its key is deleted while the store is away
		t.Fatal(err)
	}
	check(a, "m", "")
	store.set(false)
	check(a, "m", "") // the next owner of the id does not get them
	now = now.Add(sharedRest)
	check(a, "m", "")
	a.Tend()
	check(a, "m", "")
	if len(store.data) != 1 {
		t.Errorf("left: %v", store.data)
	}
}
