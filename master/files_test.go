package master

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// TestCVE2020_11652_CVE2021_25282_Files: paths, environments and links that lead out of
// file_roots hand out nothing, and what minions push stays in their folders (2020-11652 and
// 2021-25282 for the commands of minions; 2025-22237 for what an answer tells of others).
func TestCVE2020_11652_CVE2021_25282_Files(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MinionDataCache, c.FileRecv = true, true })
	r.plantFiles()
	r.file("secret", "top secret", 0o644)
	r.file("srv2/secret", "top secret", 0o644)
	for link, to := range map[string]string{"out": "../secret", "near": "../srv2/secret", "up": "..", "pki": filepath.Join(r.dir, "pki")} {
		if err := os.Symlink(to, filepath.Join(r.dir, "srv", link)); err != nil {
			t.Fatal(err)
		}
	}
	r.cfg.FileRoots["__env__"] = []any{filepath.Join(r.dir, "__env__")}
	r.start()
	m := r.minion("m1", "minion", "minion")
	paths := []string{
		"out", "near", "up/secret", "../secret", "../srv2/secret", "pki/master.pem", "hello.txt/../../secret", "secret?saltenv=..", "secret?saltenv=.", "master.pem?saltenv=pki",
		"|../secret", "secret\x00", filepath.Join(r.dir, "secret"), "./../secret",
	}
	for _, path := range paths {
		for _, env := range []any{"base", "..", ".", "srv/..", "../" + filepath.Base(r.dir), "", nil, int64(7)} {
			for _, cmd := range []string{"_serve_file", "_file_find", "_file_hash", "_file_hash_and_stat"} {
				v := m.must(wire.NewMap("cmd", cmd, "path", path, "saltenv", env, "loc", 0))
				b, err := wire.Encode(v)
				if err != nil || strings.Contains(string(b), "secret") || strings.Contains(string(b), "PRIVATE") || strings.Contains(string(b), "hsum") {
					if path == "master.pem?saltenv=pki" { // a folder beside, by __env__: what the operator has asked for
						continue
					}
					t.Errorf("%s %q in %v: %.200q", cmd, path, env, b)
				}
			}
		}
	}
	for _, env := range []any{"..", ".", "srv/.."} {
		for _, cmd := range []string{"_file_list", "_dir_list", "_symlink_list", "_file_list_emptydirs"} {
			b, err := wire.Encode(m.must(wire.NewMap("cmd", cmd, "saltenv", env, "prefix", "../")))
			if err != nil || len(b) > 1 {
				t.Errorf("%s of %v: %q", cmd, env, b)
			}
		}
	}
	was := r.tree()
	for _, parts := range [][]any{
		{"..", "..", "m2", "files", "x"},
		{"a", "..", "..", "..", "..", "..", "pki", "x"},
		{"../../../x"},
		{"", "etc", "x"},
		{"x\x00"},
		{"a", int64(1)},
		{},
	} {
		if v := m.must(wire.NewMap("cmd", "_file_recv", "path", parts, "loc", 0, "data", "evil", "size", 4)); v != false {
			t.Errorf("%q: %v", parts, v)
		}
	}
	r.unchanged(was)
	if v := m.must(wire.NewMap("cmd", "_file_recv", "path", []any{"etc", "x"}, "loc", 0, "data", "good", "size", 4)); v != true {
		t.Errorf("a good one: %v", v)
	}
}
