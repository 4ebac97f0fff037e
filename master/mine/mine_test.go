package mine

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/below"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

func packed(t testing.TB, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Any bytes are decoded or refused. A decoded entry survives packing unchanged.
func FuzzReadEntry(f *testing.F) {
	for _, v := range []any{
		1, "x", wire.NewMap("a", 1), wire.NewMap(fieldACL, 1, fieldData, 1, fieldAllow, "*", fieldType, nil), wire.NewMap(fieldACL, 1),
		wire.NewMap(fieldACL, 1, fieldData, 2, fieldAllow, []any{"a"}, fieldType, "list"),
	} {
		f.Add([]byte(packed(f, v)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if wire.Scan(b, wire.Limits{MaxDepth: wire.ValueDepth}) != nil {
			return
		}
		e, err := readEntry(b)
		if err != nil {
			return
		}
		raw, err := e.packed()
		if err != nil {
			t.Fatal(err)
		}
		again, err := readEntry(raw)
		if e.held && (err != nil || !again.held || again.kind != e.kind) {
			t.Errorf("%+v became %+v, %v", e, again, err)
		}
	})
}

func FuzzReadPage(f *testing.F) {
	f.Add([]byte(packed(f, wire.NewMap("minions", wire.NewMap("a", wire.NewMap("net", 1)), "more", true, "end", "a"))))
	f.Add([]byte(packed(f, wire.NewMap())))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readPage(b)
		if err != nil {
			return
		}
		for _, o := range p.others {
			if o.via != viaAbove {
				t.Errorf("%+v", o)
			}
		}
	})
}

func FuzzReadOthers(f *testing.F) {
	b, err := packOthers([]other{{id: "a", via: "n", entries: map[string]wire.Raw{"net": {1}}}}, "key")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, "key")
	f.Fuzz(func(t *testing.T, b []byte, key string) {
		others, err := readOthers(b, key)
		if err != nil {
			return
		}
		again, err := packOthers(others, key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readOthers(again, key); err != nil || len(got) != len(others) {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// The number of cached answers is limited, on disk too. A file of another query, or a truncated
// file, is ignored.
func TestRemembered(t *testing.T) {
	dir := t.TempDir()
	r := newRemembered(dir, quiet)
	at := time.Unix(1e9, 0)
	answer := []other{{id: "a", via: "n", entries: map[string]wire.Raw{"net": {1}}}}
	for i := range maxQuestions + 10 {
		r.put(string(rune('A'+i)), answer, at)
	}
	files := func() int {
		entries, err := os.ReadDir(filepath.Join(dir, "mine_elsewhere"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := files(); n != maxQuestions {
		t.Errorf("%d files", n)
	}
	last := string(rune('A' + maxQuestions + 9))
	if t1 := newRemembered(dir, quiet).get(last); t1 == nil || len(t1.others) != 1 || !t1.at.IsZero() || t1.others[0].via != "n" {
		t.Errorf("in another life: %+v", t1)
	}
	if newRemembered(dir, quiet).get("A") != nil {
		t.Error("what gave way is there")
	}
	if err := os.WriteFile(r.path(last), []byte{0xdf}, 0o600); err != nil {
		t.Fatal(err)
	}
	if newRemembered(dir, quiet).get(last) != nil {
		t.Error("a torn file was read")
	}
	if err := os.Rename(r.path(string(rune('A'+maxQuestions))), r.path(last)); err != nil {
		t.Fatal(err)
	}
	if newRemembered(dir, quiet).get(last) != nil {
		t.Error("the answer to another question was read")
	}
}

// Attack: a query of many megabytes. What the cache and the log keep of it is short, and it has its
// own cache key.
func TestQuestion_Large(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range []Question{{Tgt: strings.Repeat("x", 1<<20)}, {Tgt: strings.Repeat("x", 1<<20+1)}, {Tgt: "x", Names: []string{strings.Repeat("n", 1<<20)}}} {
		key, err := q.key("")
		if err != nil || len(key) > 100 || seen[key] {
			t.Errorf("a key of %d bytes, %v", len(key), err)
		}
		seen[key] = true
	}
	var log bytes.Buffer
	e := NewEntries(EntriesOptions{Cachedir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now})
	e.hide("m1", strings.Repeat("n", 1<<20), errForeign)
	if _, err := (Question{Tgt: strings.Repeat("x", 1<<20), TgtType: "none"}).settled(nil, nil); err == nil || len(err.Error()) > 1000 || log.Len() > 1000 {
		t.Errorf("logged in %d bytes: %.300v", log.Len(), err)
	}
}

// Attack: a minion floods the tree with queries, each of which asks all nodes. At most two run at a
// time, and other minions are not affected.
func TestGet_OneMinion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked, goOn := 0, make(chan struct{})
		s := New(Options{
			Ctx: t.Context(), Cachedir: t.TempDir(), Entries: NewEntries(EntriesOptions{Cachedir: t.TempDir(), MaxSize: 1000, Log: quiet, Now: time.Now}), Minions: func() []string { return nil }, Accepted: func(string) bool { return false },
			Subject: func(id string) target.Subject { return target.ID(id) },
			Data: func(context.Context, below.DataQuestion) (below.Data, error) {
				mu.Lock()
				asked++
				mu.Unlock()
				<-goOn
				return below.Data{Away: map[string]string{}}, nil
			},
			Above: &above.Link{}, Log: quiet, Now: time.Now,
		})
		count := func() int { mu.Lock(); defer mu.Unlock(); return asked }
		var wg sync.WaitGroup
		ask := func(id string, i int) {
			wg.Go(func() {
				if _, err := s.Get(t.Context(), id, Question{Tgt: fmt.Sprint("t", i), Names: []string{"net"}}); err != nil {
					t.Error(err)
				}
			})
		}
		for i := range 20 {
			ask("evil", i)
		}
		synctest.Wait()
		if n := count(); n != 2 {
			t.Errorf("%d questions of one minion at once", n)
		}
		ask("good", 100)
		synctest.Wait()
		if n := count(); n != 3 {
			t.Errorf("another one has to wait: %d", n)
		}
		close(goOn)
		wg.Wait()
	})
}

// Memory is limited: evicted entries are read from disk again.
func TestStore_Memory(t *testing.T) {
	s := NewStore(t.TempDir(), 1<<20)
	big := packed(t, wire.NewMap("big", make([]byte, 1<<20-1000)))
	ids := make([]string, 40)
	for i := range ids {
		ids[i] = string(rune('a' + i))
		if err := s.Put(ids[i], big, false); err != nil {
			t.Fatal(err)
		}
		if s.size > memory {
			t.Fatalf("%d bytes are kept", s.size)
		}
	}
	for _, id := range ids {
		if m, err := s.Get(id); err != nil || len(m.Names()) != 1 {
			t.Errorf("%s: %v, %v", id, m.Names(), err)
		}
	}
}
