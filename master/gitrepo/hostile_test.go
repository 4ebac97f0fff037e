package gitrepo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/master/gitrepo/gitrepotest"
)

// gitDaemon serves a repository with the protocol of git daemon.
func gitDaemon(t *testing.T, r *gitrepotest.Repo) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = speak(conn, r)
			_ = conn.Close()
		}
	}()
	return "git://" + l.Addr().String() + "/r"
}

func speak(conn net.Conn, r *gitrepotest.Repo) error {
	s := pktline.NewScanner(conn)
	if !s.Scan() || !strings.HasPrefix(string(s.Bytes()), "git-upload-pack /r\x00") {
		return errors.New("another request")
	}
	return upload(conn, r)
}

// Attack: tree entries named "..", ".git", "" or with slashes; submodules and links that lead
// elsewhere. None of them is a file, and the rest is served.
func TestTree_Names(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	blob := from.Object(plumbing.BlobObject, "evil")
	link := func(to string) plumbing.Hash { return from.Object(plumbing.BlobObject, to) }
	sub := from.Tree(gitrepotest.Entry{Name: "x", Mode: filemode.Regular, Hash: blob})
	from.CommitTree("main", from.Tree(
		gitrepotest.Entry{Name: "..", Mode: filemode.Dir, Hash: sub},
		gitrepotest.Entry{Name: ".", Mode: filemode.Dir, Hash: sub},
		gitrepotest.Entry{Name: "../../etc/cron.d/x", Mode: filemode.Regular, Hash: blob},
		gitrepotest.Entry{Name: ".GIT", Mode: filemode.Dir, Hash: sub},
		gitrepotest.Entry{Name: "/abs", Mode: filemode.Regular, Hash: blob},
		gitrepotest.Entry{Name: "d", Mode: filemode.Dir, Hash: sub},
		gitrepotest.Entry{Name: "ln-abs", Mode: filemode.Symlink, Hash: link("/etc/passwd")},
		gitrepotest.Entry{Name: "ln-loop", Mode: filemode.Symlink, Hash: link("ln-loop")},
		gitrepotest.Entry{Name: "ln-out", Mode: filemode.Symlink, Hash: link("../../../../d/x")},
		gitrepotest.Entry{Name: "ln-up", Mode: filemode.Symlink, Hash: link("d/../d/x")},
		gitrepotest.Entry{Name: "ln-wide", Mode: filemode.Symlink, Hash: link(strings.Repeat("a", maxPath+1))},
		gitrepotest.Entry{Name: "mod", Mode: filemode.Submodule, Hash: plumbing.NewHash(strings.Repeat("1", 40))},
		gitrepotest.Entry{Name: "ok", Mode: filemode.Regular, Hash: blob},
		gitrepotest.Entry{Name: "ok", Mode: filemode.Regular, Hash: link("twice")},
	))
	r := open(t, Options{URL: from.URL()})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	tree, _, err := must(r.Snapshot()).Tree([]string{Branch}, "main")
	if err != nil {
		t.Fatal(err)
	}
	l, err := tree.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := &Listing{
		Files: []string{"d/x", "ln-abs", "ln-loop", "ln-out", "ln-up", "ln-wide", "ok"}, Dirs: []string{"d"},
		Links: map[string]string{"ln-abs": "/etc/passwd", "ln-loop": "ln-loop", "ln-out": "../../../../d/x", "ln-up": "d/../d/x"},
	}
	if d := cmp.Diff(want, l); d != "" {
		t.Error(d)
	}
	for path, want := range map[string]string{
		"d/x": "evil", "ln-up": "evil", "ok": "evil", "../x": "", "../../etc/cron.d/x": "", ".GIT/x": "", "ln-abs": "", "ln-out": "",
		"ln-loop": "", "ln-wide": "", "mod": "", "mod/x": "", "d": "", "/abs": "", "abs": "",
	} {
		if got := read(t, r, "main", path); got != want {
			t.Errorf("%s: %q", path, got)
		}
		b, err := tree.FindThrough("", path)
		if (err == nil) != (want != "") || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("through: %s: %+v, %v", path, b, err)
		}
	}
}

// Attack: a tree of 12 KiB of objects with 10^12 files, and one that is hundreds of directories
// deep.
func TestTree_Bombs(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	wide := from.Object(plumbing.BlobObject, "x")
	mode := filemode.Regular
	deep := wide
	for i := range deepTree {
		if i < 12 {
			var entries []gitrepotest.Entry
			for j := range 10 {
				entries = append(entries, gitrepotest.Entry{Name: fmt.Sprint(j), Mode: mode, Hash: wide})
			}
			wide = from.Tree(entries...)
		}
		deep = from.Tree(gitrepotest.Entry{Name: "d", Mode: mode, Hash: deep})
		mode = filemode.Dir
	}
	from.CommitTree("wide", wide)
	from.CommitTree("deep", deep)
	r := open(t, Options{URL: from.URL(), Limits: Limits{Files: 20_000}})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{"wide": "20000 files", "deep": "128 deep"} {
		tree, _, err := must(r.Snapshot()).Tree([]string{Branch}, name)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := tree.List(t.Context()); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: listed, %v, %v", name, l != nil, err)
		}
		if l, err := tree.ListThrough(t.Context(), ""); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: listed through, %d, %v", name, len(l), err)
		}
	}
}

// Attack: few objects whose paths and link targets take gigabytes; a directory with as many entries
// as 512 others.
func TestTree_LongNames(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	x := from.Object(plumbing.BlobObject, "x")
	leaf := from.Tree(gitrepotest.Entry{Name: "a", Mode: filemode.Regular, Hash: x})
	for range 10 {
		leaf = from.Tree(gitrepotest.Entry{Name: strings.Repeat("d", 250), Mode: filemode.Dir, Hash: leaf})
	}
	var links, large []gitrepotest.Entry
	to := from.Object(plumbing.BlobObject, strings.Repeat("t", 4000))
	for i := range 10 {
		links = append(links, gitrepotest.Entry{Name: fmt.Sprint(i), Mode: filemode.Symlink, Hash: to})
	}
	for i := range cachedTree + 1 {
		large = append(large, gitrepotest.Entry{Name: fmt.Sprintf("%05d", i), Mode: filemode.Regular, Hash: x})
	}
	from.CommitTree("paths", leaf)
	from.CommitTree("links", from.Tree(links...))
	from.CommitTree("large", from.Tree(large...))
	r := open(t, Options{URL: from.URL(), Limits: Limits{Names: 12_000}})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := must(r.Snapshot())
	for _, name := range []string{"paths", "links"} {
		tree, _, err := s.Tree([]string{Branch}, name)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := tree.List(t.Context()); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: listed, %v, %v", name, l, err)
		}
		if _, err := tree.ListThrough(t.Context(), ""); name == "paths" && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: listed through, %v", name, err)
		}
	}
	if got := read(t, r, "large", "00007"); got != "x" {
		t.Errorf("%q", got)
	}
	for _, h := range s.trees.Keys() {
		if list, _ := s.trees.Get(h); len(list) > cachedTree {
			t.Errorf("%d entries are kept", len(list))
		}
	}
}

// Attack: endless refs, an endless pack, an object that unpacks to more than memory, a ref with an
// unsafe name. Each is refused by name, and the previous state stays.
func TestFetch_Bounds(t *testing.T) {
	for name, c := range map[string]struct {
		l    Limits
		evil func(r *gitrepotest.Repo)
	}{
		"refs": {Limits{Refs: 100}, func(r *gitrepotest.Repo) {
			h := r.Commit("main", gitrepotest.Files{"a": "2"})
			for i := range 100 {
				r.Ref(fmt.Sprint("refs/tags/t", i), h)
			}
		}},
		"words": {Limits{Words: 2000}, func(r *gitrepotest.Repo) {
			h := r.Commit("main", gitrepotest.Files{"a": "2"})
			for i := range 100 {
				r.Ref(fmt.Sprint("refs/tags/t", i), h)
			}
		}},
		"pack":   {Limits{Pack: 4000}, func(r *gitrepotest.Repo) { r.Commit("main", gitrepotest.Files{"a": noise(10_000)}) }},
		"object": {Limits{Object: 100_000}, func(r *gitrepotest.Repo) { r.Commit("main", gitrepotest.Files{"a": strings.Repeat("0", 200_000)}) }},
		"objects": {Limits{Objects: 4}, func(r *gitrepotest.Repo) {
			r.Commit("main", gitrepotest.Files{"a": "x", "b": "y", "c": "z", "d/e": "e"})
		}},
		"unpacked": {Limits{Unpacked: 100_000}, func(r *gitrepotest.Repo) {
			r.Commit("main", gitrepotest.Files{"a": strings.Repeat("0", 60_000), "b": strings.Repeat("1", 60_000)})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			from := gitrepotest.New(t, t.TempDir())
			from.Commit("main", gitrepotest.Files{"a": "good"})
			web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
			defer web.Close()
			dir := t.TempDir()
			r := open(t, Options{Dir: dir, URL: web.URL + "/r", Limits: c.l})
			if _, err := r.Fetch(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.evil(from)
			if _, err := r.Fetch(t.Context()); !errors.Is(err, ErrLimit) {
				t.Errorf("%v", err)
			}
			if got := read(t, r, "main", "a"); got != "good" {
				t.Errorf("%q", got)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "incoming-*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// noise returns incompressible bytes.
func noise(n int) string {
	var b strings.Builder
	x := uint64(88172645463325252)
	for b.Len() < n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		_ = binary.Write(&b, binary.LittleEndian, x)
	}
	return b.String()[:n]
}

// Attack: a delta of a few bytes whose result is 1 TiB.
func TestInspect_Delta(t *testing.T) {
	h := &head{}
	_, _ = h.Write([]byte{0x05})
	_, _ = h.Write(binary.AppendUvarint(nil, 1<<40))
	if n, err := h.target(); err != nil || n != 1<<40 {
		t.Errorf("%d, %v", n, err)
	}
	for _, text := range []string{"", "\x05", "\x80", "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		h := &head{}
		_, _ = h.Write([]byte(text))
		if n, err := h.target(); err == nil {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// TestOpen: invalid URLs and parameters are errors at the start.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		url  string
		auth Auth
		want string
	}{
		{"ext::sh -c id", Auth{}, ""},
		{"ftp://host/x", Auth{}, "ftp"},
		{"https:///x", Auth{}, "host"},
		{"http://host/x", Auth{User: "joe", Password: "p"}, "insecure_auth"},
		{"https://host/x", Auth{User: "joe"}, "together"},
		{"ssh://host/x", Auth{Privkey: "/nonexistent"}, "privkey"},
	} {
		_, err := Open(Options{Dir: t.TempDir(), URL: c.url, Auth: c.auth, Log: quiet})
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
	if got := quoted("a'b; rm -rf /"); got != `'a'\''b; rm -rf /'` {
		t.Error(got)
	}
	if _, err := refspecs([]string{"nonsense"}); err == nil {
		t.Error("an invalid refspec is accepted")
	}
}

// TestThrough: links are followed as in a checkout.
func TestThrough(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{
		"p/dev/a.sls": "A", "p/prod": "-> dev", "p/up": "-> ..", "p/out": "-> ../..", "q/b.sls": "B", "p/q": "-> ../q", "p/dev/me": "-> .",
	})
	r := open(t, Options{URL: from.URL()})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	tree, _, err := must(r.Snapshot()).Tree([]string{Branch}, "main")
	if err != nil {
		t.Fatal(err)
	}
	list, err := tree.ListThrough(t.Context(), "p")
	if err != nil || !slices.Contains(list, "prod/a.sls") || !slices.Contains(list, "q/b.sls") || slices.Contains(list, "dev/me/a.sls") {
		t.Errorf("%v, %v", list, err)
	}
	for path, want := range map[string]string{"prod/a.sls": "A", "q/b.sls": "B", "up/q/b.sls": "B", "out/q/b.sls": "", "dev/me/a.sls": "A", "prod": "", "none": ""} {
		b, err := tree.FindThrough("p", path)
		if err != nil {
			if want != "" || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if got, err := b.Bytes(100); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

// Attack: a minion requests files of one abbreviated commit after another. The objects of a
// repository are listed only once.
func TestCommit_ManyNames(t *testing.T) {
	var list [][]byte
	for i := range manyBlobs {
		list = append(list, stored(t, plumbing.BlobObject, nil, fmt.Sprint(i)))
	}
	r := open(t, Options{URL: "https://host/x"})
	s := r.newSnapshot(0, nil)
	if err := r.enter(t.Context(), s, bytes.NewReader(packOf(t, list...))); err != nil {
		t.Fatal(err)
	}
	full := plumbing.ComputeHash(plumbing.BlobObject, []byte("77"))
	for name, want := range map[string]plumbing.Hash{full.String()[:13]: full, strings.ToUpper(full.String()[:12]): full, "00000000": plumbing.ZeroHash, "fffffffff": plumbing.ZeroHash} {
		if got, err := s.commit(name); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	several := ""
	all, _ := s.hashes()
	for i := range len(all) - 1 {
		if all[i].String()[:4] == all[i+1].String()[:4] {
			several = all[i].String()[:4]
		}
	}
	if got, err := s.commit(several); err != nil || !got.IsZero() || several == "" {
		t.Errorf("%s means several: %s, %v", several, got, err)
	}
	n := 0
	if made := testing.AllocsPerRun(100, func() {
		n++
		_, _ = s.commit(fmt.Sprintf("%08x", n*7919))
	}); made > 200 {
		t.Errorf("%v things are made for one name", made)
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\x35x\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"))
	f.Fuzz(func(t *testing.T, pack []byte) {
		l := Limits{Object: 1 << 16, Objects: 100, Unpacked: 1 << 20}.orDefault()
		n, err := inspect(t.Context(), bytes.NewReader(pack), l)
		if err == nil && n > l.Objects {
			t.Errorf("%d objects", n)
		}
	})
}

func FuzzEntries(f *testing.F) {
	f.Add("https://host/x", "root", "a", true)
	f.Fuzz(func(_ *testing.T, url, name, val string, deep bool) {
		var v any = val
		if deep {
			v = []any{map[string]any{name: val}}
		}
		entries, err := Entries([]any{map[string]any{url: []any{map[string]any{name: v}}}, url}, []string{"root", "saltenv"})
		if err != nil {
			return
		}
		for _, e := range entries {
			_, _ = e.Params.Text("root", "")
			_, _ = e.Params.Texts("root", nil)
			_, _ = e.Params.Overlays("saltenv")
			_, _ = e.Params.Auth(Auth{})
			_, _ = endpoint(e.ID, Auth{})
		}
	})
}
