package mine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// A master of Salt 3008.2 stored the mine in a file of its own.
func TestMineOfSalt3008(t *testing.T) {
	var disk struct {
		Mine struct {
			Path    string
			Content []byte
		}
	}
	vectors.Load(t, "live_3008_disk.json", &disk)
	dir := t.TempDir()
	path := filepath.Join(dir, disk.Mine.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, disk.Mine.Content, 0o600); err != nil {
		t.Fatal(err)
	}
	names := func() string {
		m, err := NewStore(dir, 1<<20).Get("s8r")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m.Names(), " ")
	}
	if got := names(); got != "test.echo" {
		t.Errorf("taken over: %q", got)
	}
	data, err := wire.Encode(wire.NewMap("test.ping", true))
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(dir, 1<<20)
	if err := s.Put("s8r", data, false); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := wire.DecodeMap(b); err != nil || m.String("test.echo") != "hello" || !m.Bool("test.ping") {
		t.Errorf("for the way back: %#v, %v", m, err)
	}
	if had, err := s.Flush("s8r"); !had || err != nil {
		t.Error(had, err)
	}
	if got := names(); got != "" {
		t.Errorf("after a flush: %q", got)
	}
}
