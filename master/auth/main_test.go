package auth

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == fakeHelper {
		os.Exit(chkpwdForTests(os.Args[1:], bufio.NewReader(os.Stdin)))
	}
	goleak.VerifyTestMain(m)
}

var quiet = slog.New(slog.DiscardHandler)

// began is the time of the clocks in tests.
var began = time.Unix(1_700_000_000, 250_000_000)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// fake is a login service for tests: by default the password of every user is "right" and the group
// "staff".
type fake struct {
	mu    sync.Mutex
	asked int
	do    func(ctx context.Context, c Credentials) (Identity, error)
}

func (f *fake) Check(ctx context.Context, c Credentials) (Identity, error) {
	f.mu.Lock()
	f.asked++
	do := f.do
	f.mu.Unlock()
	if do != nil {
		return do(ctx, c)
	}
	if c.Password != "right" {
		return Identity{}, denied("the fake says no")
	}
	return Identity{Name: c.Username, Groups: []string{"staff"}}, nil
}

// service opens a service with these lines of configuration, in its own directory.
func service(t *testing.T, now func() time.Time, log *slog.Logger, lines string) (*Service, *config.Master) {
	t.Helper()
	c := load(t, lines)
	s, err := New(Options{Config: c, Rules: rulesOf(c), Log: log, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func load(t *testing.T, lines string) *config.Master {
	t.Helper()
	dir := t.TempDir()
	text := "root_dir: " + dir + "\nid: m\nuser: " + os.Getenv("USER") + "\n" + lines
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.LoadMaster(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rulesOf returns the rules of the users and groups that external_auth names in full.
func rulesOf(c *config.Master) func(eauth string, id Identity) []any {
	return func(eauth string, id Identity) []any {
		entries, _ := c.ExternalAuth[eauth].(map[string]any)
		rules, _ := entries[id.Name].([]any)
		for _, g := range id.Groups {
			more, _ := entries[g+"%"].([]any)
			rules = append(rules, more...)
		}
		return append(rules, id.Rules...)
	}
}

// withFake replaces a login service with a fake.
func withFake(s *Service, name string, d Driver) *fake {
	f := &fake{}
	d.Name = name
	o := &opened{Driver: d, Backend: f, expanded: map[string]expansion{}}
	if d.AtOnce > 0 {
		o.places, o.reserve = make(chan struct{}, d.AtOnce), make(chan struct{}, d.AtOnce)
	}
	s.backends[name] = o
	return f
}

// open opens a single login service.
func open(t *testing.T, name string, entries, values map[string]any) Backend {
	t.Helper()
	b, err := drivers[name].open(Config{Entries: entries, Values: values, Log: quiet, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// refusedWith returns the texts that the error of opening a login service lacks.
func refusedWith(t *testing.T, name string, entries, values map[string]any, want ...string) {
	t.Helper()
	_, err := drivers[name].open(Config{Entries: entries, Values: values, Log: quiet, Now: time.Now})
	if err == nil {
		t.Errorf("%s with %v %v: no error", name, entries, values)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s with %v %v: %v, want %q in it", name, entries, values, err, w)
		}
	}
}

// logged is a log that tests can read.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
