package httpfs

import (
	sum256 "crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/master/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestHttpfs: a file is fetched once, by https only, and served if its hash is right.
func TestHttpfs(t *testing.T) {
	const text = "an archive"
	var fetched atomic.Int64
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	defer plain.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		_, _ = io.WriteString(w, text)
	})
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusFound))
	mux.Handle("/down", http.RedirectHandler(plain.URL, http.StatusFound))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	mux.HandleFunc("/evil", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "another") })
	web := httptest.NewTLSServer(mux)
	defer web.Close()
	defer web.Client().CloseIdleConnections()

	sum := fmt.Sprintf("%x", sum256.Sum256([]byte(text)))
	of := map[string]any{}
	for _, name := range []string{"good", "moved", "down", "round", "evil", "none"} {
		of["pkg/"+name] = map[string]any{"url": web.URL + "/" + name, "sha256": strings.ToUpper(sum)}
	}
	envs, err := read(map[string]any{"base": of})
	if err != nil {
		t.Fatal(err)
	}
	find := func(b *backend, path string) (*files.File, error) {
		return b.Find(t.Context(), "base", files.Path{Rel: path, Index: -1})
	}
	for _, name := range []string{"down", "round", "evil", "none", "moved"} { // none of them is stored
		store, err := files.OpenCopies(t.TempDir(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		f, err := find(newBackend(envs, store, web.Client().Transport), "pkg/"+name)
		if name == "moved" && err != nil || name != "moved" && (err == nil || errors.Is(err, fs.ErrNotExist)) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		store.Close()
	}
	store, err := files.OpenCopies(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	b := newBackend(envs, store, web.Client().Transport)
	before := fetched.Load()
	for range 3 {
		f, err := find(b, "pkg/good")
		if err != nil || f.Size != int64(len(text)) || f.Sum != sum || f.Stat[6] != f.Size {
			t.Fatalf("%+v, %v", f, err)
		}
		c, err := f.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(c, 0, f.Size)); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
		_ = c.Close()
	}
	if n := fetched.Load() - before; n != 1 {
		t.Errorf("fetched %d times", n)
	}
	if _, err := find(b, "pkg/other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not named: %v", err)
	}
	if l, err := b.List(t.Context(), "base"); err != nil || len(l.Files) != 6 || !slices.Equal(l.Dirs, []string{"pkg"}) {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestRead: entries without https or hash, or with an unsafe path, are configuration errors that
// name the entry.
func TestRead(t *testing.T) {
	sum := strings.Repeat("a", 64)
	entry := func(u, s string) map[string]any { return map[string]any{"url": u, "sha256": s} }
	for name, c := range map[string]struct {
		env, path string
		entry     any
	}{
		"http":       {"base", "a", entry("http://x/a", sum)},
		"file":       {"base", "a", entry("file:///etc/passwd", sum)},
		"no hash":    {"base", "a", entry("https://x/a", "")},
		"short hash": {"base", "a", entry("https://x/a", "abc")},
		"path":       {"base", "../a", entry("https://x/a", sum)},
		"absolute":   {"base", "/a", entry("https://x/a", sum)},
		"env":        {"../x", "a", entry("https://x/a", sum)},
		"unknown":    {"base", "a", map[string]any{"url": "https://x/a", "sha256": sum, "md5": "x"}},
		"text":       {"base", "a", "https://x/a"},
	} {
		if got, err := read(map[string]any{c.env: map[string]any{c.path: c.entry}}); err == nil || !strings.Contains(err.Error(), c.env) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := read(nil); err == nil {
		t.Error("no error without files")
	}
}
