package datacache

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCache(t *testing.T) {
	dir := t.TempDir()
	c := New(dir)
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
	c = New(dir)
	want("after a restart", target.Yes)
	if d := c.Get("m1"); d == nil || d.Pillar.(*wire.Map).String("role") != "db" {
		t.Errorf("known is %+v", d)
	}
	file := filepath.Join(dir, "minions", "m1", "data.p")
	if err := os.WriteFile(file, []byte{0xdf}, 0o600); err != nil {
		t.Fatal(err)
	}
	c = New(dir)
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
