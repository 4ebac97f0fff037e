package wire_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestReadFile(t *testing.T) {
	whole, err := wire.EncodeBus(wire.NewMap("a", []any{"b"}, "c", "d"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := wire.EncodeBus([]any{"b"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		name          string
		content       []byte
		asAny, asList error // of ReadFile, of ReadMapFile
	}{
		{"whole", whole, nil, nil},
		{"list", list, nil, wire.ErrType},
		{"nil", []byte{0xc0}, nil, nil}, // as if it did not exist
		{"cut", whole[:len(whole)-1], wire.ErrTruncated, wire.ErrTruncated},
		{"empty", []byte{}, wire.ErrTruncated, wire.ErrTruncated},
		{"longer", append(whole[:len(whole):len(whole)], 1), wire.ErrTrailing, wire.ErrTrailing},
		{"zeros", make([]byte, 4096), wire.ErrTrailing, wire.ErrTrailing}, // a disk after a power failure
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := wire.ReadFile(path)
		m, merr := wire.ReadMapFile(path)
		for _, x := range []struct{ got, want error }{{err, c.asAny}, {merr, c.asList}} {
			if !errors.Is(x.got, x.want) {
				t.Errorf("%s: %v, want %v", c.name, x.got, x.want)
			}
			if x.got != nil && (!strings.Contains(x.got.Error(), path) || !strings.Contains(x.got.Error(), "remove it")) {
				t.Errorf("%s: the error does not say which file, or what to do: %v", c.name, x.got)
			}
		}
		if c.name == "whole" && (m.String("c") != "d" || m.Len() != 2) {
			t.Errorf("read %v", m)
		}
	}
	if v, err := wire.ReadFile(filepath.Join(dir, "none")); v != nil || err != nil {
		t.Errorf("no file: %v, %v", v, err)
	}
	if m, err := wire.ReadMapFile(filepath.Join(dir, "none")); m.Len() != 0 || err != nil {
		t.Errorf("no file: %v, %v", m, err)
	}
	if _, err := wire.ReadMapFile(dir); !errors.Is(err, syscall.EISDIR) || strings.Count(err.Error(), dir) != 1 {
		t.Errorf("a folder: %v", err)
	}
}
