package gitfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/gitrepo/gitrepotest"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// serve returns a file server with only gitfs.
func serve(t *testing.T, text string, fire func(string, *value.Map)) *files.Server {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("root_dir: "+dir+"\nfileserver_backend: [gitfs]\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.LoadMaster(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := files.New(files.Options{Config: c, Fire: fire, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func read(t *testing.T, s *files.Server, env, path string) (string, error) {
	t.Helper()
	f, err := s.Find(t.Context(), env, path)
	if err != nil {
		return "", err
	}
	text, err := s.ReadAll(t.Context(), f)
	return string(text), err
}

// TestUpdate: an update fetches changes and reports them; a failed one keeps the previous state; a
// file of a remote that was never fetched is an error and not "not found".
func TestUpdate(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("master", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"r": from})
	defer web.Close()
	var fired []string
	s := serve(t, "fileserver_events: True\ngitfs_remotes: ["+web.URL+"/r]\n", func(tag string, d *value.Map) {
		fired = append(fired, fmt.Sprintf("%s %v %s %d", tag, d.Bool("changed"), d.String("backend"), d.Len()))
	})
	if _, err := read(t, s, "base", "a"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first fetch: %v", err)
	}
	if _, err := s.List(t.Context(), "base", files.Files, "", ""); err == nil {
		t.Error("it is listed before the first fetch")
	}
	for _, step := range []struct {
		do   func()
		want string
		err  bool
	}{
		{func() {}, "one", false},
		{func() {}, "one", false},
		{func() { from.Commit("master", gitrepotest.Files{"a": "two"}) }, "two", false},
		{func() {
			from.Commit("master", gitrepotest.Files{"a": "three"})
			web.Around = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
		}, "two", true},
		{func() { web.Around = nil }, "three", false},
	} {
		step.do()
		if err := s.Update(t.Context(), "", nil); (err != nil) != step.err {
			t.Errorf("%s: %v", step.want, err)
		}
		if got, err := read(t, s, "base", "a"); got != step.want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, step.want)
		}
	}
	update := "salt/fileserver/gitfs/update %v gitfs 2"
	want := fmt.Sprintf("["+update+" "+update+" "+update+" "+update+" "+update+"]", true, false, true, false, true)
	if got := fmt.Sprint(fired); got != want {
		t.Errorf("fired %s, want %s", got, want)
	}
	locked, faults := s.Lock("git", "http://127*")
	if len(locked) != 1 || len(faults) != 0 || locked[0] != "Set update lock for gitfs remote '"+web.URL+"/r'" {
		t.Errorf("%v, %v", locked, faults)
	}
	from.Commit("master", gitrepotest.Files{"a": "four"})
	if err := s.Update(t.Context(), "", nil); err == nil {
		t.Error("a locked one is fetched")
	}
	if cleared, faults := s.ClearLock("", "*nothing*"); len(cleared)+len(faults) != 0 {
		t.Errorf("%v, %v", cleared, faults)
	}
	if cleared, _ := s.ClearLock("", ""); len(cleared) != 1 {
		t.Errorf("%v", cleared)
	}
	if cleared, faults := s.ClearCache(t.Context(), ""); len(cleared) != 1 || len(faults) != 0 {
		t.Errorf("%v, %v", cleared, faults)
	}
	if err := s.Update(t.Context(), "", []string{"/r"}); err != nil {
		t.Error(err)
	}
	if got, err := read(t, s, "base", "a"); got != "four" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := s.Update(t.Context(), "", []string{"another"}); err != nil {
		t.Error(err)
	}
}

// TestLarge: a file of 5 MiB is unpacked and hashed once, for all requests, names and environments.
func TestLarge(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 5<<16)
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("master", gitrepotest.Files{"big": big, "twin": big, "hidden.bak": "x"})
	from.Commit("dev", gitrepotest.Files{"big": big})
	s := serve(t, "file_ignore_glob: ['*.bak']\ngitfs_remotes: ["+from.URL()+"]\n", nil)
	if err := s.Update(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct{ env, path string }{{"base", "big"}, {"base", "twin"}, {"dev", "big"}} {
		f, err := s.Find(t.Context(), at.env, at.path)
		if err != nil || f.Size != int64(len(big)) {
			t.Fatal(f, err)
		}
		for _, from := range []int64{0, 1<<20 + 3, 4 << 20, int64(len(big)) - 5} {
			c, err := s.Read(t.Context(), files.Asker{ID: "m"}, f, from, 0)
			if err != nil {
				t.Fatal(err)
			}
			if want := big[from:min(from+1<<20, int64(len(big)))]; string(c.Data) != want {
				t.Errorf("%s at %d: %d bytes of another content", at.path, from, len(c.Data))
			}
			c.Release()
		}
		if _, err := s.Hash(t.Context(), f); err != nil {
			t.Error(err)
		}
	}
	if n := s.Counts().Hashed.Load(); n != 1 {
		t.Errorf("read for its hash %d times", n)
	}
	if _, err := read(t, s, "base", "hidden.bak"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is ignored is served: %v", err)
	}
	if list, err := s.List(t.Context(), "base", files.Files, "", ""); err != nil || fmt.Sprint(list) != "[big twin]" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestDue: each remote is fetched at its own interval.
func TestDue(t *testing.T) {
	var mu sync.Mutex // both remotes are fetched at once
	var asked []string
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("master", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"fast": from, "slow": from})
	defer web.Close()
	web.Around = func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodGet {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, strings.Split(q.URL.Path, "/")[1])
		}
		return false
	}
	c := config.DefaultMaster()
	c.Cachedir = t.TempDir()
	c.GitfsRemotes = []any{web.URL + "/fast", map[string]any{web.URL + "/slow": []any{map[string]any{"update_interval": int64(600)}}}}
	at := time.Unix(1e9, 0)
	b, err := open(files.Env{Config: c, Log: quiet, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	g := b.(*backend)
	if g.Interval() != time.Minute {
		t.Error(g.Interval())
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {time.Second, 2}, {time.Minute, 3}, {time.Minute, 4}, {10 * time.Minute, 6}} {
		at = at.Add(step.after)
		_, err := g.UpdateDue(t.Context())
		mu.Lock()
		if err != nil || len(asked) != step.want {
			t.Errorf("after %v: %v, %v", step.after, asked, err)
		}
		mu.Unlock()
	}
}

// Attack: a server that sends a byte a minute. Other remotes are fetched on time, and the slow one
// has one fetch in progress.
func TestDue_Slow(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("master", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(false, map[string]*gitrepotest.Repo{"good": from, "evil": from})
	defer web.Close()
	var hangs, asked atomic.Int64
	goOn := make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	defer release()
	web.Around = func(_ http.ResponseWriter, q *http.Request) bool {
		if hangs.Load() > 0 && strings.HasPrefix(q.URL.Path, "/evil/") {
			asked.Add(1)
			<-goOn
		}
		return false
	}
	s := serve(t, "gitfs_update_interval: 1\ngitfs_remotes: ["+web.URL+"/good, "+web.URL+"/evil]\n", nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	defer func() { cancel(); release(); <-done }()
	has := func(want string) func() bool {
		return func() bool { got, err := read(t, s, "base", "a"); return err == nil && got == want }
	}
	waiting.Until(t, "both are fetched", has("one"))
	hangs.Add(1)
	waiting.Until(t, "the slow one is asked", func() bool { return asked.Load() > 0 })
	from.Commit("master", gitrepotest.Files{"a": "two"})
	waiting.Until(t, "the other one is fetched", has("two"))
	if n := asked.Load(); n != 1 {
		t.Errorf("the slow one is asked %d times", n)
	}
}

// TestRead: invalid options are errors at the start and name the remote.
func TestRead(t *testing.T) {
	one := "https://git.example.com/x"
	for name, c := range map[string]struct {
		remotes, saltenv any
		want             string
	}{
		"no list":     {int64(1), nil, "list of remotes"},
		"colon":       {[]any{map[string]any{one: nil}}, nil, "colon"},
		"unknown":     {[]any{map[string]any{one: []any{map[string]any{"branch": "x"}}}}, nil, "unknown parameter branch"},
		"twice":       {[]any{one, one}, nil, "same cache directory"},
		"ref types":   {[]any{map[string]any{one: []any{map[string]any{"ref_types": "branches"}}}}, nil, "ref_types"},
		"root":        {[]any{map[string]any{one: []any{map[string]any{"root": "../x"}}}}, nil, "not a relative path"},
		"mountpoint":  {[]any{map[string]any{one: []any{map[string]any{"mountpoint": "salt://a/../../b"}}}}, nil, "not a relative path"},
		"name":        {[]any{map[string]any{one: []any{map[string]any{"name": "../../etc"}}}}, nil, "not a directory name"},
		"saltenv":     {[]any{map[string]any{one: []any{map[string]any{"saltenv": "dev"}}}}, nil, "saltenv"},
		"saltenv key": {[]any{one}, []any{map[string]any{"dev": []any{map[string]any{"branch": "x"}}}}, "unknown parameter branch"},
		"scheme":      {[]any{"ftp://x/y"}, nil, "scheme"},
		"secret":      {[]any{map[string]any{"https://joe:hush@host/x": []any{map[string]any{"nonsense": "x"}}}}, nil, "https://joe@host/x"},
		"interval":    {[]any{map[string]any{one: []any{map[string]any{"update_interval": "soon"}}}}, nil, "seconds"},
	} {
		cfg := config.DefaultMaster()
		cfg.Cachedir = t.TempDir()
		cfg.GitfsRemotes, cfg.GitfsSaltenv = c.remotes, c.saltenv
		if _, err := readRemotes(cfg, quiet); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
