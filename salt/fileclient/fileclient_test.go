package fileclient

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fileServer answers as a master does (Salt wire reference §8.2).
type fileServer struct {
	files  map[string]string // "env/path"
	piece  int               // bytes of one piece
	asked  []string
	spoil  func(n int, data []byte) []byte // changes the piece of the nth _serve_file
	served int
	broken int // number of _serve_file requests to answer with nothing
}

func (s *fileServer) Ask(_ context.Context, load *value.Map) (any, error) {
	cmd, env, path := load.String("cmd"), load.String("saltenv"), load.String("path")
	s.asked = append(s.asked, cmd+" "+path)
	text, there := s.files[env+"/"+strings.TrimPrefix(path, "|")]
	switch cmd {
	case "_file_envs":
		if load.Len() != 1 {
			return "", nil // as Salt 3006.0 does, which passes the other fields to its function
		}
		return []any{"base", "dev"}, nil
	case "_file_list":
		var out []any
		for name := range s.files {
			if rel, ok := strings.CutPrefix(name, env+"/"); ok && strings.HasPrefix(rel, load.String("prefix")) {
				out = append(out, rel)
			}
		}
		return out, nil
	case "_file_list_emptydirs":
		return []any{"dir/empty"}, nil
	case "_file_hash":
		if !there {
			return "", nil
		}
		return value.NewMap("hsum", fmt.Sprintf("%x", sha256.Sum256([]byte(text))), "hash_type", "sha256"), nil
	case "_file_find":
		if !there {
			return value.NewMap("path", "", "rel", ""), nil
		}
		return value.NewMap("path", "/srv/salt/"+path, "rel", path, "stat", []any{int64(0o100755), int64(1)}), nil
	}
	if s.broken > 0 {
		s.broken--
		return "", nil
	}
	if !there {
		return value.NewMap("data", "", "dest", ""), nil
	}
	at := min(int(load.Int("loc")), len(text))
	data := []byte(text[at:min(at+s.piece, len(text))])
	s.served++
	if s.spoil != nil {
		data = s.spoil(s.served, data)
	}
	reply := value.NewMap("dest", path, "data", data)
	if load.Int("gzip") > 0 && len(data) > 0 {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(data)
		_ = w.Close()
		reply.Set("data", b.Bytes())
		reply.Set("gzip", load.Int("gzip"))
	}
	return reply, nil
}

func remote(t *testing.T, s *fileServer) (*Client, string) {
	t.Helper()
	if s.piece == 0 {
		s.piece = 4
	}
	dir := t.TempDir()
	quiet := slog.New(slog.DiscardHandler)
	return New(Options{Source: Master{Asker: s, ID: "web1"}, Cachedir: dir, Log: quiet}), dir
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v; want %q", path, b, err, want)
	}
}

// A file comes in pieces, plain or compressed. It is cached where Salt keeps it, and not
// fetched again while its hash is the same.
func TestCache(t *testing.T) {
	for _, level := range []int{0, 6} {
		s := &fileServer{files: map[string]string{"base/web/a.conf": "0123456789", "dev/web/a.conf": "dev", "base/empty": ""}}
		c, dir := remote(t, s)
		path, err := c.Cache(t.Context(), "salt://web/a.conf", Want{Gzip: level})
		if want := filepath.Join(dir, "files/base/web/a.conf"); err != nil || path != want {
			t.Fatalf("%s, %v; want %s", path, err, want)
		}
		holds(t, path, "0123456789")
		served := s.served
		if _, err := c.Cache(t.Context(), "salt://web/a.conf", Want{}); err != nil || s.served != served {
			t.Errorf("fetched again: %v", err)
		}
		dev, err := c.Cache(t.Context(), "salt://web/a.conf?saltenv=dev", Want{})
		if err != nil || dev != filepath.Join(dir, "files/dev/web/a.conf") {
			t.Errorf("%s, %v", dev, err)
		}
		holds(t, dev, "dev")
		empty, err := c.Cache(t.Context(), "salt://empty", Want{})
		if err != nil {
			t.Fatal(err)
		}
		holds(t, empty, "")
		if at, err := c.Cached("salt://web/a.conf", "base"); err != nil || at != path {
			t.Errorf("is cached at %s, %v", at, err)
		}
		kept, err := c.Kept("base")
		if d := cmp.Diff([]string{empty, path}, kept); d != "" || err != nil {
			t.Error(err, d)
		}
	}
}

// A missing file is an error of that kind, and nothing is written.
func TestMissing(t *testing.T) {
	c, dir := remote(t, &fileServer{})
	for _, get := range []func() error{
		func() error { _, err := c.Cache(t.Context(), "salt://no", Want{}); return err },
		func() error { _, err := c.Get(t.Context(), "salt://no", filepath.Join(dir, "x"), Want{}); return err },
		func() error { _, err := c.Hash(t.Context(), "salt://no", "base"); return err },
		func() error { _, _, err := c.Mode(t.Context(), "salt://no", "base"); return err },
		func() error { _, err := c.Open(t.Context(), "base", "no"); return err },
	} {
		if err := get(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v", err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("written: %v", left)
	}
}

// Nothing is read or written outside an environment, whatever a path or a master says.
func TestPathsStayInside(t *testing.T) {
	s := &fileServer{files: map[string]string{"base/../../../etc/x": "evil", "base/dir/../../up": "evil", "base/ok": "fine", "../x/y": "evil", "base//abs": "evil"}}
	c, dir := remote(t, s)
	for _, url := range []string{"salt://../../../etc/x", "salt://dir/../../up", "salt:///etc/passwd", "salt://", "salt://a\x00b", "salt://|../x", "salt://y?saltenv=../x"} {
		if _, err := c.Cache(t.Context(), url, Want{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", url, err)
		}
	}
	names, err := c.List(t.Context(), Files, "base", "")
	if d := cmp.Diff([]string{"ok"}, names); d != "" || err != nil {
		t.Error(err, d)
	}
	got, err := c.Folder(t.Context(), "salt://", filepath.Join(dir, "out"), Want{})
	if err != nil || !slices.Contains(got, filepath.Join(dir, "out/ok")) {
		t.Errorf("%v, %v", got, err)
	}
	err = filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(path) != "ok" {
			t.Errorf("%s was written", path)
		}
		return err
	})
	if err != nil || len(s.asked) == 0 {
		t.Error(err)
	}
	if _, err := c.Place("http://../x", "base"); err == nil {
		t.Error("an address leads out of the cache")
	}
}

// A file with a wrong hash is fetched again, and never kept.
func TestWrongHash(t *testing.T) {
	s := &fileServer{files: map[string]string{"base/f": "good"}, piece: 100}
	c, dir := remote(t, s)
	dest := filepath.Join(dir, "dest")
	if err := os.WriteFile(dest, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	s.spoil = func(_ int, data []byte) []byte { return bytes.ToUpper(data) }
	if _, err := c.Get(t.Context(), "salt://f", dest, Want{}); err == nil || !strings.Contains(err.Error(), "the source reported") {
		t.Errorf("err = %v", err)
	}
	holds(t, dest, "before")
	s.spoil = func(n int, data []byte) []byte {
		if n < 9 {
			return bytes.ToUpper(data)
		}
		return data
	}
	s.broken = 2
	if _, err := c.Get(t.Context(), "salt://f", dest, Want{}); err != nil {
		t.Error(err)
	}
	holds(t, dest, "good")
	if st, err := os.Stat(dest); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", st.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mom-part-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTooLarge(t *testing.T) {
	c, dir := remote(t, &fileServer{files: map[string]string{"base/f": strings.Repeat("x", 200)}})
	c.o.MaxFile = 100
	if _, err := c.Get(t.Context(), "salt://f", filepath.Join(dir, "f"), Want{}); err == nil || !strings.Contains(err.Error(), "larger than 100 bytes") {
		t.Errorf("err = %v", err)
	}
}

// A folder comes with its name, its files and its empty folders, without others that share
// the prefix.
func TestFolder(t *testing.T) {
	s := &fileServer{files: map[string]string{"base/a/dir/x": "1", "base/a/dir/sub/y": "2", "base/a/dir2/z": "3", "base/a/dir.sh": "4"}}
	c, dir := remote(t, s)
	got, err := c.Folder(t.Context(), "salt://a/dir/", dir, Want{})
	want := []string{filepath.Join(dir, "dir/sub/y"), filepath.Join(dir, "dir/x")}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(err, d)
	}
	cached, err := c.CacheFolder(t.Context(), "salt://a", Want{}, false, "E@dir/", "*sub*")
	if d := cmp.Diff([]string{filepath.Join(dir, "files/base/a/dir/x")}, cached); d != "" || err != nil {
		t.Error(err, d)
	}
}

// file_roots of this host are a source: the first folder with a file provides it.
func TestLocal(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{a + "/x/init.sls": "a", b + "/x/init.sls": "b", b + "/x/y.sls": "c", b + "/top.sls": "t"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{b + "/loop": b, b + "/away": "/nowhere"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(a+"/void", 0o755); err != nil {
		t.Fatal(err)
	}
	roots := Roots(map[string]any{"base": []any{a, b}, "one": a})
	c := New(Options{Source: Local{Roots: roots}, Cachedir: t.TempDir()})
	if data, err := c.Open(t.Context(), "base", "x/init.sls"); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
	states, err := c.States(t.Context(), "base")
	if d := cmp.Diff([]string{"top", "x", "x.y"}, states); d != "" || err != nil {
		t.Error(err, d)
	}
	empty, err := c.List(t.Context(), EmptyDirs, "base", "")
	if d := cmp.Diff([]string{"void"}, empty); d != "" || err != nil {
		t.Error(err, d)
	}
	links, err := c.Symlinks(t.Context(), "base", "")
	if err != nil || links.String("loop") != b || links.Len() != 2 {
		t.Errorf("%#v, %v", links, err)
	}
	if mode, known, err := c.Mode(t.Context(), "salt://top.sls", "base"); err != nil || !known || mode != 0o100644 {
		t.Errorf("%o, %v, %v", mode, known, err)
	}
	if _, err := c.Open(t.Context(), "base", "../etc/passwd"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("err = %v", err)
	}
	if names, err := c.List(t.Context(), Files, "none", ""); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := New(Options{}).Open(t.Context(), "base", "x"); !errors.Is(err, ErrNoSource) {
		t.Errorf("err = %v", err)
	}
}

// Files behind http are cached where Salt keeps them. The password goes only to the server
// in the address, and errors do not show it.
func TestHTTP(t *testing.T) {
	var asked int
	var seen string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Authorization")
		_, _ = io.WriteString(w, "elsewhere")
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		default:
			if r.Header.Get("If-None-Match") == "v1" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", "v1")
			_, _ = io.WriteString(w, "data")
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	c := New(Options{Cachedir: dir})
	host := strings.TrimPrefix(server.URL, "http://")
	withPassword := "http://user:s3cret@" + host
	path, err := c.Cache(t.Context(), withPassword+"/a/f?v=1", Want{ETag: true})
	if want := filepath.Join(dir, "extrn_files/base", host, "a/f-v=1"); err != nil || path != want {
		t.Fatalf("%s, %v", path, err)
	}
	holds(t, path, "data")
	if _, err := c.Cache(t.Context(), withPassword+"/a/f?v=1", Want{ETag: true}); err != nil || asked != 2 {
		t.Error(err, asked)
	}
	sum := fmt.Sprintf("sha256=%x", sha256.Sum256([]byte("data")))
	if _, err := c.Cache(t.Context(), withPassword+"/a/f?v=1", Want{SourceHash: sum}); err != nil || asked != 2 {
		t.Errorf("fetched although the hash is there: %v", err)
	}
	if _, err := c.Cache(t.Context(), withPassword+"/away", Want{}); err != nil || seen != "" {
		t.Errorf("%v; the password went along: %q", err, seen)
	}
	var status *StatusError
	if _, err := c.Cache(t.Context(), withPassword+"/gone", Want{}); !errors.As(err, &status) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("err = %v", err)
	}
	if _, err := c.Cache(t.Context(), "ftp://x/y", Want{}); err == nil {
		t.Error("ftp is fetched")
	}
}

func FuzzLocate(f *testing.F) {
	for _, seed := range []string{"salt://a/b?saltenv=x", "salt://../x", "salt://|a?b", "http://h/p?q", "/abs"} {
		f.Add(seed)
	}
	c := New(Options{Cachedir: "/cache"})
	f.Fuzz(func(t *testing.T, source string) {
		place, err := c.Place(source, "base")
		if err == nil && place != source && !strings.HasPrefix(filepath.Clean(place), "/cache/") {
			t.Errorf("%q is kept at %s", source, place)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := unpack(data); err == nil && len(out) > maxPiece {
			t.Error("a piece without bound")
		}
	})
}

// TestMaster_Envs checks that the request holds the command only, as that of Salt's
// minions.
func TestMaster_Envs(t *testing.T) {
	got, err := Master{Asker: &fileServer{}, ID: "web1"}.Envs(t.Context())
	if diff := cmp.Diff([]string{"base", "dev"}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Attack: a link in file_roots points to a file of this host that no state should read.
func TestLocalLinks(t *testing.T) {
	root, away := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{away + "/secret": "s", root + "/own": "o"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{root + "/out": away + "/secret", root + "/folder": away, root + "/in": root + "/own"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for follow, want := range map[bool][]string{true: {"folder/secret", "in", "out", "own"}, false: {"in", "own"}} {
		c := New(Options{Source: Local{Roots: map[string][]string{"base": {root}}, NoFollow: !follow}, Cachedir: t.TempDir()})
		for path, text := range map[string]string{"out": "s", "folder/secret": "s", "in": "o"} {
			data, err := c.Open(t.Context(), "base", path)
			if served := err == nil && string(data) == text; served != (follow || path == "in") {
				t.Errorf("followed %v: %s is %q, %v", follow, path, data, err)
			}
		}
		if list, err := c.List(t.Context(), Files, "base", ""); err != nil || !slices.Equal(list, want) {
			t.Errorf("followed %v: %q, %v", follow, list, err)
		}
	}
}
