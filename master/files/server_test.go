package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

func cutEnv(name, env string) (string, bool) { return strings.CutPrefix(name, env+"/") }
func sortTexts(l []string)                   { slices.Sort(l) }

func two() map[string]*shelf {
	return map[string]*shelf{
		"one": {files: map[string]string{"base/a": "one", "base/web/x": "x", "dev/d": "d"}},
		"two": {files: map[string]string{"base/a": "two, hidden", "base/b": "two"}},
	}
}

// TestFind: the first backend that has the file serves it, ?saltenv selects another environment,
// and an error of a backend ends the search.
func TestFind(t *testing.T) {
	shelves := two()
	s := serve(t, nil, []string{"one", "two"}, shelves)
	for _, c := range []struct{ env, path, back string }{
		{"base", "a", "one"},
		{"base", "b", "two"},
		{"base", "d?saltenv=dev", "one"},
		{"base", "|d?saltenv=dev", ""},
		{"dev", "a", ""},
		{"none", "a", ""},
		{"base", "./web//x", "one"},
	} {
		f, err := s.Find(t.Context(), c.env, c.path)
		if c.back == "" && !errors.Is(err, fs.ErrNotExist) || c.back != "" && (err != nil || f.Back != c.back) {
			t.Errorf("%s in %s: %q, %v", c.path, c.env, f.Back, err)
		}
	}
	shelves["one"].fail = errors.New("away")
	if _, err := s.Find(t.Context(), "base", "b"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backend that cannot look: %v", err)
	}
	if _, err := s.List(t.Context(), "dev", Files, "", ""); err == nil {
		t.Error("a list without the files of a backend that cannot look")
	}
}

// TestHash_ReadOnce: concurrent requests for the hash of one content read it once.
func TestHash_ReadOnce(t *testing.T) {
	shelves := two()
	s := serve(t, nil, []string{"one"}, shelves)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			f, err := s.Find(t.Context(), "base", "a")
			if err != nil {
				t.Error(err)
				return
			}
			if sum, err := s.Hash(t.Context(), f); err != nil || sum != "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" {
				t.Errorf("%s, %v", sum, err)
			}
		})
	}
	wg.Wait()
	if n := shelves["one"].reads.Load(); n != 1 {
		t.Errorf("read %d times", n)
	}
	shelves["one"].files["base/a"] = "changed"
	f, err := s.Find(t.Context(), "base", "a")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := s.Hash(t.Context(), f); err != nil || sum == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" {
		t.Errorf("the hash of the former content: %s, %v", sum, err)
	}
}

// TestList: the union of backends, filtered by prefix, cached for fileserver_list_cache_time.
func TestList(t *testing.T) {
	shelves := two()
	now := time.Unix(1e9, 0)
	s := serve(t, nil, []string{"one", "two"}, shelves)
	s.now = func() time.Time { return now }
	list := func(form Form, prefix, backends string) []string {
		t.Helper()
		l, err := s.List(t.Context(), "base", form, prefix, backends)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		form             Form
		prefix, backends string
		want             []string
	}{
		{Files, "", "", []string{"a", "b", "web/x"}},
		{Files, "/web/", "", []string{"web/x"}},
		{Files, "", "two", []string{"a", "b"}},
		{Files, "", "-two", []string{"a", "web/x"}},
		{Files, "", "two,one,nosuch", []string{"a", "b", "web/x"}},
		{Dirs, "web", "", []string{"web", "web2"}},
		{EmptyDirs, "", "", nil},
	} {
		if got := list(c.form, c.prefix, c.backends); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	shelves["two"].files["base/new"] = "new"
	if slices.Contains(list(Files, "", ""), "new") {
		t.Error("the list is not kept")
	}
	now = now.Add(21 * time.Second)
	if !slices.Contains(list(Files, "", ""), "new") {
		t.Error("the list is kept for longer than 20 s")
	}
	shelves["two"].files["base/newer"] = "newer"
	if got := s.ClearLists([]string{"base"}, "two"); got.Len() != 1 || !slices.Contains(list(Files, "", ""), "newer") {
		t.Errorf("the list was not cleared: %v", got)
	}
	if envs, err := s.Envs(t.Context(), ""); err != nil || !slices.Equal(envs, []string{"base", "dev"}) {
		t.Errorf("%v, %v", envs, err)
	}
}

// TestList_JoinedOnce: lists of several backends are joined once, until one of them changes.
func TestList_JoinedOnce(t *testing.T) {
	shelves := two()
	s := serve(t, nil, []string{"one", "two"}, shelves)
	list := func(backends string) wire.Raw {
		t.Helper()
		raw, err := s.ListRaw(t.Context(), "base", Files, "", backends)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	first := list("")
	if again := list("one,two"); &again[0] != &first[0] {
		t.Error("joined again")
	}
	if dirs, err := s.ListRaw(t.Context(), "base", Dirs, "", ""); err != nil || bytes.Equal(dirs, first) {
		t.Errorf("folders are %x, %v", dirs, err)
	}
	shelves["two"].files["base/new"] = "x"
	s.ClearLists(nil, "two")
	if v, err := wire.Decode(list("")); err != nil || fmt.Sprint(v) != "[a b new web/x]" {
		t.Errorf("then %v, %v", v, err)
	}
}

// TestRead: a file in chunks, each compressed on its own, and an empty chunk at its end.
func TestRead(t *testing.T) {
	text := strings.Repeat("0123456789", 250)
	s := serve(t, func(c *config.Master) { c.FileBufferSize = 1024 }, []string{"one"}, map[string]*shelf{"one": {files: map[string]string{"base/a": text}}})
	f, err := s.Find(t.Context(), "base", "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []int{0, 5} {
		var got bytes.Buffer
		for {
			c, err := s.Read(t.Context(), Asker{ID: "m1"}, f, int64(got.Len()), level)
			if err != nil {
				t.Fatal(err)
			}
			data := c.Data
			if level > 0 && len(data) > 0 {
				z, err := gzip.NewReader(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				if data, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			c.Release()
			if len(data) == 0 {
				break
			}
			got.Write(data)
		}
		if got.String() != text {
			t.Errorf("level %d: %d bytes", level, got.Len())
		}
	}
	for _, c := range []struct {
		at    int64
		level int
	}{{-1, 0}, {0, 10}, {0, -1}} {
		if _, err := s.Read(t.Context(), Asker{}, f, c.at, c.level); err == nil {
			t.Errorf("%+v is read", c)
		}
	}
	if _, err := s.Read(t.Context(), Asker{ID: "m", Gone: func() bool { return true }}, f, 0, 0); !errors.Is(err, ErrGone) {
		t.Errorf("for who has hung up: %v", err)
	}
	if _, now, _ := s.Waiting(); now != 0 {
		t.Errorf("%d bytes were not released", now)
	}
	if data, err := Loader(s).Open(t.Context(), "base", "a"); err != nil || string(data) != text {
		t.Errorf("as a template: %d bytes, %v", len(data), err)
	}
	if _, err := Loader(s).Open(t.Context(), "base", "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a template that is not there: %v", err)
	}
}

// Attack: paths and environments outside the served ones are refused before any backend is asked.
func TestParsePath_Hostile(t *testing.T) {
	long := strings.Repeat("x", maxPath+1)
	for _, path := range []string{
		"", ".", "..", "/etc/passwd", "../x", "a/../../x", "a/..", "a\x00b", "|../x", "|/etc/passwd", "x?saltenv=../..", "x?saltenv=", "x?index=-1",
		"x?index=99999999999999999999", long, "a/../b", "|", "?saltenv=dev",
	} {
		if p, env, err := ParsePath(path, "base"); !errors.Is(err, ErrRefused) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%.40q: %+v %q, %v", path, p, env, err)
		}
	}
	for _, env := range []string{"", ".", "..", "../..", "a/../b", "/etc", "a//b", "a/", ".git", "a/.git", "a\x00", "a\nb", strings.Repeat("e", config.MaxSaltenv+1)} {
		if _, _, err := ParsePath("x", env); !errors.Is(err, ErrRefused) {
			t.Errorf("environment %q is taken", env)
		}
	}
	for _, c := range []struct {
		path, rel, env string
		index          int
	}{
		{"a", "a", "base", -1},
		{"a/./b//c", "a/b/c", "base", -1},
		{"a..b/..c", "a..b/..c", "base", -1},
		{"a?saltenv=feature/x&index=1", "a", "feature/x", 1},
		{"|a?b", "a?b", "base", -1},
		{"a?junk", "a", "base", -1},
	} {
		p, env, err := ParsePath(c.path, "base")
		if err != nil || !cmp.Equal(p, Path{Rel: c.rel, Index: c.index}) || env != c.env {
			t.Errorf("%q: %+v %q, %v", c.path, p, env, err)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add("a/../b?saltenv=x&index=1", "base")
	f.Add("|a", "__env__")
	f.Fuzz(func(t *testing.T, text, env string) {
		p, env, err := ParsePath(text, env)
		if err != nil {
			return
		}
		for _, s := range []string{p.Rel, env} {
			if s == "" || s[0] == '/' || strings.Contains("/"+s+"/", "/../") || strings.ContainsRune(s, 0) || strings.Contains(s, "//") {
				t.Errorf("%q: %q", text, s)
			}
		}
	})
}

// TestBackends_Options: invalid values of fileserver_backend are errors at the start.
func TestBackends_Options(t *testing.T) {
	for _, names := range [][]string{{"nosuch"}, {"thing", "thing"}} {
		c := config.DefaultMaster()
		c.FileserverBackend = names
		kinds["thing"] = kind{make: func(Env) (Backend, error) { return &shelf{}, nil }}
		if _, err := New(Options{Config: c, Log: quiet}); err == nil || !strings.Contains(err.Error(), "fileserver_backend") {
			t.Errorf("%v: %v", names, err)
		}
		delete(kinds, "thing")
	}
	c := config.DefaultMaster()
	c.FileserverBackend, c.FileIgnoreRegex = nil, []string{"(", "ok"}
	if _, err := New(Options{Config: c, Log: quiet}); err == nil || !strings.Contains(fmt.Sprint(err), "file_ignore_regex") {
		t.Errorf("an expression that cannot be read: %v", err)
	}
}
