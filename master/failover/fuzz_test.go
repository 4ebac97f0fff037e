package failover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// A registry opened from any file content can be used and saved, and an error names the file.
func FuzzOpen(f *testing.F) {
	for _, v := range []any{
		nil, 1,
		[]any{1},
		wire.NewMap("above", []any{}, "below", []any{wire.NewMap("id", "n", "host", "h", "port", 1, "pub", "k", "draining", true)}, "guests", wire.NewMap("g", "n")),
		wire.NewMap("above", []any{wire.NewMap("body", []byte("x"), "sig", []byte("y"), "pub", "z"), 1}, "below", []any{1}, "guests", []any{}),
		wire.NewMap("guests", wire.NewMap(1, "n", "g", 5)),
	} {
		b, err := wire.EncodeBus(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	dir := f.TempDir()
	path := filepath.Join(dir, registryFile)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := openRegistry(dir, time.Now)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("the error does not name the file: %v", err)
		}
		h.SetBelow(sibling.Node{ID: "below", Host: "h", Port: 1, Pub: "k"})
		_ = h.Away("guest", "below", true) // it has a disk
		if err := h.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := openRegistry(dir, time.Now)
		if err != nil {
			t.Fatalf("cannot read what Save wrote: %v", err)
		}
		if home, _ := again.GuestOf("guest"); home != "below" {
			t.Errorf("the guest's home is %q", home)
		}
	})
}
