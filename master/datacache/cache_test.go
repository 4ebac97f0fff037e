package datacache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestCache(t *testing.T) {
	dir := t.TempDir()
	c := New(dir, bounds.Bounds{})
	expr, err := target.Parse("os:Debian", "grain", target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := func(when string, w target.Tri) {
		t.Helper()
		if got := expr.Certain(c.Subject("m1")); got != w {
			t.Errorf("%s: %v, want %v", when, got, w)
		}
	}
	want("nothing is known", target.Unknown)
	for _, os := range []string{"Debian", "Arch", "Debian"} {
		if err := c.Put("m1", wire.NewMap("os", os), wire.NewMap("role", "db")); err != nil {
			t.Fatal(err)
		}
		if os == "Arch" {
			want("it has changed", target.No)
		} else {
			want("it is known", target.Yes)
		}
	}
	c = New(dir, bounds.Bounds{})
	want("after a restart", target.Yes)
	if d := c.Get("m1"); d == nil || d.Pillar.(*wire.Map).String("role") != "db" {
		t.Errorf("known is %+v", d)
	}
	file := filepath.Join(dir, "minions", "m1", "data.p")
	if err := os.WriteFile(file, []byte{0xdf}, 0o600); err != nil {
		t.Fatal(err)
	}
	c = New(dir, bounds.Bounds{})
	want("the file is torn", target.Unknown)
	for range 2 {
		if err := c.Remove("m1"); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) || c.Get("m1") != nil {
		t.Errorf("after it was removed: %v", err)
	}
}

// Grains of 200 minions, requested by targets again and again, use no more memory than the
// limit, which holds about thirty of them. The answers stay correct.
func TestCacheIsBounded(t *testing.T) {
	const n, most = 200, 20_000
	c := New(t.TempDir(), bounds.Bounds{DataCache: most})
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("m", i)
		if err := c.Put(ids[i], wire.NewMap("n", i, "text", strings.Repeat("x", 50)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for i, id := range ids {
			if d := c.Get(id); d == nil || d.Grains.(*wire.Map).Int("n") != int64(i) {
				t.Fatalf("%s is %+v", id, d)
			}
			if c.size > most {
				t.Fatalf("%d bytes are kept", c.size)
			}
		}
	}
	sum := 0
	for _, k := range c.m {
		sum += k.size
	}
	if len(c.m) < 10 || sum != c.size {
		t.Errorf("%d are kept, of %d bytes; counted are %d", len(c.m), sum, c.size)
	}
}

// Attack: a minion sent so much data that reading it takes long. Access to other minions does not
// wait.
func TestGet_SlowFile(t *testing.T) {
	c := New(t.TempDir(), bounds.Bounds{})
	if err := c.Put("evil", wire.NewMap("n", 1), nil); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(c.dir, "evil", "data.p")
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { c.Get("evil"); close(done) }()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // a reader has opened it by now
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(); <-done }()
	other := "m1"
	for i := 2; c.file(other) == c.file("evil"); i++ {
		other = fmt.Sprint("m", i)
	}
	var got atomic.Bool
	go func() { c.Get(other); got.Store(true) }()
	waiting.Until(t, "another one is looked at", got.Load)
}

// Cleared data are gone, on disk too; other data stay.
func TestClear(t *testing.T) {
	dir := t.TempDir()
	c := New(dir, bounds.Bounds{})
	if had, err := c.Clear("web1", true, true); had || err != nil {
		t.Errorf("nothing is known: %v, %v", had, err)
	}
	if err := c.Put("web1", wire.NewMap("os", "x"), wire.NewMap("p", 1)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if had, err := c.Clear("web1", true, false); had != want || err != nil {
			t.Errorf("grains: %v, %v", had, err)
		}
	}
	for _, c := range []*Cache{c, New(dir, bounds.Bounds{})} {
		if d := c.Get("web1"); d == nil || d.Grains != nil || d.Pillar == nil {
			t.Errorf("left: %+v", d)
		}
	}
}
