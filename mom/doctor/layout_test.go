package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLayoutOfSalt3008(t *testing.T) {
	dir := t.TempDir()
	conf := "pki_dir: " + dir + "/pki\ncachedir: " + dir + "/cache\nkeys.cache_driver: mmap_key\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	said := func(level Level, what string) bool {
		r, err := Examine(dir)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == level && strings.Contains(f.What, what) })
	}
	if !said(Fails, "mmap_key") {
		t.Error("keys in binary files are not reported")
	}
	if said(Works, "Salt 3008 has used this cache") {
		t.Error("a cache that nobody has used is 3008's")
	}
	if err := os.MkdirAll(filepath.Join(dir, "cache", "grains"), 0o700); err != nil {
		t.Fatal(err)
	}
	if !said(Works, "Salt 3008 has used this cache") {
		t.Error("the cache of 3008 is not reported")
	}
}
