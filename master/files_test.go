package master

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// TestCVE2020_11652_CVE2021_25282_Files: paths, environments and links outside file_roots yield
// nothing, and pushed files stay in the minion's directory (2020-11652 and 2021-25282 for commands
// of minions; 2025-22237 for what an answer reveals about others).
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
					if path == "master.pem?saltenv=pki" { // a directory next to it, through __env__, as configured
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

// parentOf sends requests to another rig, as the forwarder of a node does.
type parentOf struct{ *minion }

func (a parentOf) Ask(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.Request(ctx, load)
}

// TestFiles_Upstream: a node serves the files of its parent. The link between them carries a file
// once, whoever requests it below. While the parent is away, the node serves the files it has, and
// does not report the others as missing.
func TestFiles_Upstream(t *testing.T) {
	top := newRig(t, ordersMasters)
	top.plantFiles()
	text := strings.Repeat("0123456789abcdef", 3<<16) // three chunks
	top.file("srv/big", text, 0o644)
	top.start()
	node := newRig(t, ordersMasters, func(c *config.Master) {
		c.FileserverBackend, c.UpstreamCheck = []string{"roots", "upstream"}, time.Nanosecond
	})
	node.file("srv/own", "of the node", 0o644)
	node.start()
	m := node.minion("m1", "minion", "minion")
	fetch := func(path string) string {
		t.Helper()
		var got []byte
		for {
			d, ok := m.must(wire.NewMap("cmd", "_serve_file", "path", path, "saltenv", "base", "loc", len(got))).(*wire.Map)
			if !ok {
				t.Fatalf("%s at %d: no map", path, len(got))
			}
			if data := d.Bytes("data"); len(data) > 0 {
				got = append(got, data...)
				continue
			}
			return string(got)
		}
	}
	if got := fetch("own"); got != "of the node" {
		t.Errorf("its own: %q", got)
	}
	if _, err := m.Request(t.Context(), wire.NewMap("cmd", "_file_hash", "path", "big", "saltenv", "base")); !errors.Is(err, channel.ErrNotNow) {
		t.Errorf("without a master above: %v", err)
	}
	up := top.minion("node", "syndic", "syndic")
	node.Above().Connect(parentOf{up})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := fetch("big"); got != text {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
	wg.Wait()
	if n := top.files.Counts().Chunks.Load(); n != 3 {
		t.Errorf("the parent has served %d chunks", n)
	}
	want := []any{"big", "bin.dat", "dir/sub.txt", "hello.txt", "link", "own"}
	if got := m.must(wire.NewMap("cmd", "_file_list", "saltenv", "base")); !cmp.Equal(got, want) {
		t.Errorf("%v", got)
	}
	_ = up.Close()
	if got := fetch("big"); got != text {
		t.Errorf("while the parent is away: %d bytes", len(got))
	}
	if v, err := m.Request(t.Context(), wire.NewMap("cmd", "_file_hash", "path", "hello.txt", "saltenv", "base")); !errors.Is(err, channel.ErrNotNow) {
		t.Errorf("what it does not know: %v, %v", v, err)
	}
}
