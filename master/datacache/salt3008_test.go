package datacache

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// A master of Salt 3008.2 has stored grains and pillar in separate files.
func TestTakeoverFromSalt3008(t *testing.T) {
	type file struct {
		Path    string
		Content []byte
	}
	var disk struct{ Grains, Pillar file }
	vectors.Load(t, "live_3008_disk.json", &disk)
	dir := t.TempDir()
	now := time.Now()
	put := func(f file, at time.Time) {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	put(disk.Grains, now.Add(-time.Hour))
	put(disk.Pillar, now.Add(-time.Hour))
	open := func() *Cache { return New(dir, bounds.Bounds{}) }
	role := func(c *Cache) string {
		d := c.Get("s8r")
		if d == nil {
			return "nothing is known"
		}
		g, _ := d.Grains.(*wire.Map)
		p, _ := d.Pillar.(*wire.Map)
		return g.String("role") + " " + p.String("secret")
	}
	if got := role(open()); got != "web hunter2secret" {
		t.Errorf("taken over: %s", got)
	}
	// mom stores both forms, and they are newer.
	if err := open().Put("s8r", wire.NewMap("role", "db"), wire.NewMap("secret", "x")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, disk.Grains.Path))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := wire.DecodeMap(b); err != nil || m.String("role") != "db" {
		t.Errorf("for the way back: %#v, %v", m, err)
	}
	if got := role(open()); got != "db x" {
		t.Errorf("after mom stored: %s", got)
	}
	// Back to Salt and over again: the newer file is used.
	put(disk.Grains, now.Add(time.Hour))
	if got := role(open()); got != "web x" {
		t.Errorf("after another master of Salt: %s", got)
	}
	c := open()
	if err := c.Remove("s8r"); err != nil {
		t.Fatal(err)
	}
	if got := role(open()); got != "nothing is known" {
		t.Errorf("of a minion whose key is gone: %s", got)
	}
	// Without a 3008 cache, no files are written for one.
	dir = t.TempDir()
	if err := open().Put("s8r", wire.NewMap("role", "db"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "grains")); !os.IsNotExist(err) {
		t.Errorf("the bank of grains: %v", err)
	}
}
