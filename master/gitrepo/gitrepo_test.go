package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/master/gitrepo/gitrepotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

func open(t testing.TB, o Options) *Repo {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Log = quiet
	r, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read returns the content at a path of a branch, or "".
func read(t testing.TB, r *Repo, ref, path string) string {
	t.Helper()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return readOf(t, s, ref, path)
}

func readOf(t testing.TB, s *Snapshot, ref, path string) string {
	t.Helper()
	tree, ok, err := s.Tree([]string{Branch, Tag, SHA}, ref)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return ""
	}
	b, err := tree.Find("", path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	text, err := b.Bytes(1 << 20)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(text)
}

// TestFetch: over each transport, the next fetch gets a change, a fetch without a change reports
// none, removed refs disappear, and everything survives a restart.
func TestFetch(t *testing.T) {
	for _, way := range []string{"file", "http", "git"} {
		t.Run(way, func(t *testing.T) {
			from := gitrepotest.New(t, t.TempDir())
			first := from.Commit("main", gitrepotest.Files{"a": "one", "d/b": "two", "l": "-> d/b"})
			from.Commit("dev/x", gitrepotest.Files{"a": "dev"})
			from.Annotate("v1", from.Annotate("v1-inner", first, plumbing.CommitObject), plumbing.TagObject)
			url := from.URL()
			switch way {
			case "http":
				web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
				defer web.Close()
				url = web.URL + "/r"
			case "git":
				url = gitDaemon(t, from)
			}
			dir := t.TempDir()
			r := open(t, Options{Dir: dir, URL: url})
			if _, err := r.Snapshot(); !errors.Is(err, ErrNever) {
				t.Errorf("before the first fetch: %v", err)
			}
			if changed, err := r.Fetch(t.Context()); err != nil || !changed {
				t.Fatalf("%v, %v", changed, err)
			}
			if changed, err := r.Fetch(t.Context()); err != nil || changed {
				t.Fatalf("again: %v, %v", changed, err)
			}
			old, _ := r.Snapshot()
			want := []string{"refs/remotes/origin/dev/x", "refs/remotes/origin/main", "refs/tags/v1", "refs/tags/v1-inner"}
			if d := cmp.Diff(want, old.Refs()); d != "" {
				t.Error(d)
			}
			from.Commit("main", gitrepotest.Files{"a": "three", "d/b": "two"})
			from.Delete("refs/heads/dev/x")
			if changed, err := r.Fetch(t.Context()); err != nil || !changed {
				t.Fatalf("%v, %v", changed, err)
			}
			for _, r := range []*Repo{r, open(t, Options{Dir: dir, URL: url})} {
				for _, c := range []struct{ ref, path, want string }{
					{"main", "a", "three"},
					{"main", "d/b", "two"},
					{"main", "l", ""},
					{"v1", "l", "two"},
					{"v1", "a", "one"},
					{first.String(), "a", "one"},
					{first.String()[:9], "a", "one"},
					{"dev/x", "a", ""},
					{"abcdef", "a", ""},
				} {
					if got := read(t, r, c.ref, c.path); got != c.want {
						t.Errorf("%s of %s: %q, want %q", c.path, c.ref, got, c.want)
					}
				}
			}
			if got := readOf(t, old, "main", "a"); got != "one" {
				t.Errorf("the former snapshot has changed: %q", got)
			}
		})
	}
}

// TestFetch_Fails: the last fetch stays in use while the remote is away, is replaced by another
// repository, or is damaged on disk.
func TestFetch_Fails(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
	defer web.Close()
	dir := t.TempDir()
	url := strings.Replace(web.URL, "//", "//joe:hush@", 1) + "/r"
	r := open(t, Options{Dir: dir, URL: url})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	web.Around = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusServiceUnavailable)
		return true
	}
	_, err := r.Fetch(t.Context())
	if err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), web.Listener.Addr().String()) {
		t.Errorf("%v", err)
	}
	if got := read(t, r, "main", "a"); got != "one" {
		t.Errorf("%q", got)
	}
	if _, err := open(t, Options{Dir: dir, URL: url + "2"}).Snapshot(); !errors.Is(err, ErrNever) {
		t.Errorf("another repository has the files of the former: %v", err)
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "objects-*", "objects", "pack", "*.idx"))
	if len(packs) != 1 {
		t.Fatal(packs)
	}
	if err := os.Remove(packs[0]); err != nil {
		t.Fatal(err)
	}
	r = open(t, Options{Dir: dir, URL: url})
	if _, err := r.Snapshot(); !errors.Is(err, ErrNever) {
		t.Errorf("a damaged copy is read: %v", err)
	}
	web.Around = nil
	if _, err := r.Fetch(t.Context()); err != nil || read(t, r, "main", "a") != "one" {
		t.Errorf("it is not fetched anew: %v", err)
	}
}

// TestRenewed: a copy of three packs is fetched whole again and drops unreachable objects; readers
// of the previous one are not disturbed.
func TestRenewed(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	dir := t.TempDir()
	r := open(t, Options{Dir: dir, URL: from.URL(), Limits: Limits{Packs: 3}})
	var before *Snapshot
	for i := range 4 {
		from.Commit(fmt.Sprint("b", i), gitrepotest.Files{"a": fmt.Sprint(i)})
		before, _ = r.Snapshot()
		if _, err := r.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "objects-1", "objects", "pack", "*.pack"))
	if len(packs) != 1 {
		t.Errorf("%v", packs)
	}
	if readOf(t, before, "b2", "a") != "2" || read(t, r, "b3", "a") != "3" || read(t, r, "b0", "a") != "0" {
		t.Error("something is not there any more")
	}
}

// TestLock: a locked repository is not fetched, not even after a restart.
func TestLock(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	dir := t.TempDir()
	r := open(t, Options{Dir: dir, URL: from.URL()})
	if set, err := r.Lock(); err != nil || !set {
		t.Fatal(set, err)
	}
	if set, err := r.Lock(); err != nil || set {
		t.Fatal(set, err)
	}
	r = open(t, Options{Dir: dir, URL: from.URL()})
	if _, err := r.Fetch(t.Context()); !errors.Is(err, ErrLocked) {
		t.Errorf("%v", err)
	}
	if cleared, err := r.Unlock(); err != nil || !cleared {
		t.Fatal(cleared, err)
	}
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Error(err)
	}
	if err := r.Clear(); err != nil {
		t.Error(err)
	}
	if _, err := r.Snapshot(); !errors.Is(err, ErrNever) {
		t.Error(err)
	}
	if changed, err := r.Fetch(t.Context()); err != nil || !changed || read(t, r, "main", "a") != "one" {
		t.Errorf("%v, %v", changed, err)
	}
}

// A file of more than the 1 MiB that is read whole is read in pieces by four concurrent readers
// during a fetch.
func TestLarge(t *testing.T) {
	big := make([]byte, largeFile)
	src := rand.NewChaCha8([32]byte{1})
	_, _ = src.Read(big)
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"big": string(big), "a": "one"})
	r := open(t, Options{URL: from.URL()})
	if _, err := r.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, _ := r.Snapshot()
	tree, _, err := s.Tree([]string{Branch}, "main")
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(big)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b, err := tree.Find("", "big")
			if err != nil || b.Size != int64(len(big)) {
				t.Errorf("%+v, %v", b, err)
				return
			}
			f, err := b.Open()
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			h := sha256.New()
			if _, err := io.Copy(h, f); err != nil || !bytes.Equal(h.Sum(nil), want[:]) {
				t.Errorf("another content: %v", err)
			}
			if _, err := b.Bytes(1 << 20); !errors.Is(err, ErrLimit) {
				t.Errorf("read whole: %v", err)
			}
		})
	}
	for i := range 3 {
		from.Commit("main", gitrepotest.Files{"big": string(big), "a": fmt.Sprint(i)})
		if _, err := r.Fetch(t.Context()); err != nil {
			t.Error(err)
		}
		_ = readOf(t, s, "main", "a")
	}
	wg.Wait()
}

// Attack: a remote that falls silent at any point is dropped after the idle time.
func TestFetch_Silent(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	for _, at := range []string{"info/refs", "git-upload-pack"} {
		web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
		release := make(chan struct{})
		web.Around = func(w http.ResponseWriter, q *http.Request) bool {
			if !strings.HasSuffix(q.URL.Path, at) {
				return false
			}
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-release
			return true
		}
		r := open(t, Options{URL: web.URL + "/r", Limits: Limits{Idle: 50 * time.Millisecond}})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // otherwise nothing ends it
		if _, err := r.Fetch(ctx); !errors.Is(err, errSilent) {
			t.Errorf("%s: %v", at, err)
		}
		cancel()
		close(release)
		web.Close()
	}
}

// TestFetch_Ends: a fetch ends with its context and releases its turn.
func TestFetch_Ends(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
	defer web.Close()
	ctx, cancel := context.WithCancel(t.Context())
	web.Around = func(_ http.ResponseWriter, q *http.Request) bool {
		cancel()
		<-q.Context().Done()
		return true
	}
	r := open(t, Options{URL: web.URL + "/r"})
	if _, err := r.Fetch(ctx); err == nil {
		t.Error("it is fetched")
	}
	web.Around = nil
	if _, err := r.Fetch(t.Context()); err != nil || !slices.Equal(must(r.Snapshot()).Refs(), nil) {
		t.Errorf("an empty repository: %v", err)
	}
}

// Concurrent callers that need a repository share one fetch, whether or not it fails.
func TestNeed(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
	defer web.Close()
	var mu sync.Mutex
	asked, away := 0, true
	web.Around = func(w http.ResponseWriter, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if q.Method == http.MethodGet {
			asked++
		}
		if away {
			w.WriteHeader(http.StatusBadGateway)
		}
		return away
	}
	r := open(t, Options{URL: web.URL + "/r"})
	all := func(fails bool) {
		t.Helper()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if s, err := r.Need(t.Context()); (err != nil) != fails || (s == nil) != fails {
					t.Errorf("%v, %v", s, err)
				}
			})
		}
		wg.Wait()
	}
	all(true)
	r.mu.Lock()
	r.tried = r.tried.Add(-tryAgain)
	r.mu.Unlock()
	mu.Lock()
	away = false
	mu.Unlock()
	all(false)
	if asked != 2 {
		t.Errorf("it is asked %d times", asked)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// No error contains a password of a URL.
func TestHidden(t *testing.T) {
	const url = "https://joe:hush@git.example.com/r" //nolint:gosec // no password is one
	for _, text := range []string{
		"GET https://joe:hush@git.example.com/r: no", "authentication with hush failed", `parse "https://joe:hush@git.example.com/r"`,
	} {
		err := hidden(errors.New(text), Options{URL: url})
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := hidden(fs.ErrNotExist, Options{URL: url}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an error without one becomes %v", err)
	}
}
