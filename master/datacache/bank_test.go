package datacache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// A stored value exists until it is flushed, also for another store in the same directory.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "banks")
	s := OpenBanks(dir)
	if v, ok, err := s.Fetch("a", "k"); v != nil || ok || err != nil {
		t.Errorf("nothing yet: %v, %v, %v", v, ok, err)
	}
	for _, x := range []struct {
		bank, key string
		v         any
	}{{"a", "k", "text"}, {"a/b", "k", []any{int64(1), nil}}, {"a", "k", value.NewMap("x", true)}, {"a", "k.q", nil}} {
		if err := s.Store(x.bank, x.key, x.v); err != nil {
			t.Fatal(err)
		}
	}
	again := OpenBanks(dir)
	if v, ok, err := again.Fetch("a", "k"); !ok || err != nil || !v.(*value.Map).Bool("x") {
		t.Errorf("%v, %v, %v", v, ok, err)
	}
	if keys, err := again.List("a"); err != nil || strings.Join(keys, " ") != "b k k.q" {
		t.Errorf("%v, %v", keys, err)
	}
	for _, x := range []struct {
		bank, key string
		had       bool
	}{{"a", "k.q", true}, {"a", "k.q", false}, {"a/b", "", true}, {"a", "", true}, {"a", "", false}} {
		if had, err := again.Flush(x.bank, x.key); had != x.had || err != nil {
			t.Errorf("%v: %v, %v", x, had, err)
		}
	}
	if keys, err := s.List("a"); err != nil || len(keys) > 0 {
		t.Errorf("%v, %v", keys, err)
	}
}

// Invalid values are refused with the reason and leave nothing.
func TestStore_Refused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "banks")
	s := OpenBanks(dir)
	for _, x := range []struct {
		bank, key string
		v         any
		want      string
	}{
		{"", "k", 1, "use letters"},
		{"..", "k", 1, "use letters"},
		{"a/../b", "k", 1, "use letters"},
		{"/etc", "k", 1, "use letters"},
		{"a.p", "k", 1, "use letters"},
		{"a", "../k", 1, "use letters"},
		{"a", "k.p", 1, "use letters"},
		{"a", "", 1, "use letters"},
		{strings.Repeat("a/", 8) + "a", "k", 1, "more than 7 others"},
		{"a", "k", strings.Repeat("x", maxValue), "at most"},
		{"a", "k", make(chan int), "store k in bank a"},
	} {
		if err := s.Store(x.bank, x.key, x.v); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q %q: %v, want %q", x.bank, x.key, err, x.want)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// The number of values is limited; existing ones may change.
func TestStore_Bound(t *testing.T) {
	dir := t.TempDir()
	s := OpenBanks(dir)
	if err := s.Store("a", "k", 1); err != nil {
		t.Fatal(err)
	}
	for i := range maxValues - 1 {
		if err := os.WriteFile(filepath.Join(dir, "a", fmt.Sprint(i)+ext), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store("b", "k", 1); err == nil || !strings.Contains(err.Error(), "the limit of") {
		t.Errorf("one more: %v", err)
	}
	if err := s.Store("a", "k", 2); err != nil {
		t.Errorf("a value that is there: %v", err)
	}
	if had, err := s.Flush("a", ""); !had || err != nil {
		t.Error(had, err)
	}
	if err := s.Store("b", "k", 1); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// No name leads outside the directory; an invalid file is an error.
func FuzzStore(f *testing.F) {
	f.Add("a", "k", []byte{0xc0})
	f.Add("../a", "k", []byte{})
	f.Add("a", "../../etc/passwd", []byte("x"))
	f.Add("a\x00", "k\n", []byte{0xc1})
	f.Fuzz(func(t *testing.T, bank, key string, file []byte) {
		outer := t.TempDir()
		s := OpenBanks(filepath.Join(outer, "banks"))
		if err := s.Store(bank, key, string(file)); err == nil {
			if v, ok, err := s.Fetch(bank, key); err != nil || !ok || v != string(file) {
				t.Errorf("%v, %v, %v", v, ok, err)
			}
			path, err := s.file(bank, key)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, _ = s.Fetch(bank, key) // must not crash
			if keys, err := s.List(bank); err != nil || len(keys) != 1 || keys[0] != key {
				t.Errorf("%v, %v", keys, err)
			}
		}
		_, _ = s.Flush(bank, key)
		if entries, err := os.ReadDir(outer); err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "banks" {
			t.Errorf("%q %q: %v, %v", bank, key, entries, err)
		}
	})
}
