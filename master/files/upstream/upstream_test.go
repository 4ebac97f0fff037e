package upstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parent is a master above, with files of one environment.
type parent struct {
	mu    sync.Mutex
	files map[string]string
	lies  map[string]string // what it serves under another file's hash
	away  bool
	odd   any // what it answers to all, if it is not nil
	asked map[string]int
}

const piece = 1000

func (p *parent) Call(_ context.Context, load *value.Map) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd, path := load.String("cmd"), load.String("path")
	p.asked[cmd]++
	if p.away {
		return nil, fmt.Errorf("%w: it is down", above.ErrAway)
	}
	if p.odd != nil {
		return p.odd, nil
	}
	text, there := p.files[path]
	switch cmd {
	case "_file_envs":
		return []any{"dev", "base"}, nil
	case "_file_hash_and_stat":
		if !there {
			return []any{"", nil}, nil
		}
		stat := []any{int64(0o100644), int64(1), int64(1), int64(1), int64(0), int64(0), int64(len(text)), int64(9), int64(9), int64(9)}
		return []any{value.NewMap("hash_type", "sha256", "hsum", fmt.Sprintf("%x", sha256.Sum256([]byte(text)))), stat}, nil
	case "_serve_file":
		if lie, ok := p.lies[path]; ok {
			text = lie
		}
		if !there {
			return value.NewMap("data", "", "dest", ""), nil
		}
		at := min(int(load.Int("loc")), len(text))
		return value.NewMap("data", []byte(text[at:min(at+piece, len(text))]), "dest", path), nil
	case "_file_list", "_dir_list", "_file_list_emptydirs":
		return []any{"b", "a"}, nil
	case "_symlink_list":
		return value.NewMap("link", "a"), nil
	}
	return nil, errors.New("unknown")
}

func (p *parent) count(cmd string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[cmd]
}

func (p *parent) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }
func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func plant(t *testing.T) (*backend, *parent, *clock) {
	t.Helper()
	p := &parent{files: map[string]string{"a": strings.Repeat("0123456789", 1000), "empty": ""}, lies: map[string]string{}, asked: map[string]int{}}
	c := &clock{at: time.Unix(1e9, 0)}
	store, err := files.OpenCopies(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return newBackend(files.Env{Config: config.DefaultMaster(), Log: slog.New(slog.DiscardHandler), Now: c.now}, p, store), p, c
}

func (b *backend) read(t *testing.T, path string) (string, error) {
	t.Helper()
	f, err := b.Find(t.Context(), "base", files.Path{Rel: path, Index: -1})
	if err != nil {
		return "", err
	}
	c, err := f.Open(t.Context())
	if err != nil {
		return "", err
	}
	defer c.Close()
	text, err := io.ReadAll(io.NewSectionReader(c, 0, 1<<30))
	if int64(len(text)) != f.Size || f.Stat[6] != f.Size {
		t.Errorf("%d bytes, of %d", len(text), f.Size)
	}
	return string(text), err
}

// TestFetchedOnce: five hundred that want a file at once cost the link to the master above
// one question and one transfer; so does what is not there.
func TestFetchedOnce(t *testing.T) {
	b, p, c := plant(t)
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			if got, err := b.read(t, "a"); err != nil || got != p.files["a"] {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if _, err := b.read(t, "none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is not there: %v", err)
			}
		})
	}
	wg.Wait()
	if q, s := p.count("_file_hash_and_stat"), p.count("_serve_file"); q != 2 || s != 11 {
		t.Errorf("%d questions, %d pieces", q, s)
	}
	c.forward(6 * time.Second) // it is asked again, and has not changed
	if _, err := b.read(t, "a"); err != nil || p.count("_file_hash_and_stat") != 3 || p.count("_serve_file") != 11 {
		t.Errorf("%v, %v", p.asked, err)
	}
	p.set(func() { p.files["a"] = "changed" })
	if got, _ := b.read(t, "a"); len(got) != 10_000 {
		t.Errorf("it is asked within upstream_check: %q", got)
	}
	c.forward(6 * time.Second)
	if got, err := b.read(t, "a"); err != nil || got != "changed" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := b.read(t, "empty"); err != nil || got != "" {
		t.Errorf("an empty file: %q, %v", got, err)
	}
}

// Attack: a minion asks for files with long names that are not there, one after the other.
// What is remembered of them is short.
func TestFind_LongNames(t *testing.T) {
	b, p, _ := plant(t)
	for range 2 {
		for i := range 20 {
			if _, err := b.read(t, strings.Repeat("x", 4000)+fmt.Sprint(i)); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	}
	if n := p.count("_file_hash_and_stat"); n != 20 {
		t.Errorf("%d questions", n)
	}
	for _, k := range b.answers.Keys() {
		if len(k) > 300 {
			t.Errorf("%d bytes are remembered", len(k))
		}
	}
}

// Attack: what comes from above is not what its hash says; it is neither served nor kept.
func TestVerified(t *testing.T) {
	b, p, _ := plant(t)
	for _, lie := range []string{strings.Repeat("x", 10_000), "short", strings.Repeat("x", 20_000)} {
		p.set(func() { p.lies["a"] = lie })
		if got, err := b.read(t, "a"); err == nil {
			t.Errorf("served: %d bytes", len(got))
		}
	}
	p.set(func() { delete(p.lies, "a") })
	if got, err := b.read(t, "a"); err != nil || len(got) != 10_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestAway: while nobody above answers, what was said last is served, and what is not known
// is an error and not "not there".
func TestAway(t *testing.T) {
	b, p, c := plant(t)
	if _, err := b.read(t, "a"); err != nil {
		t.Fatal(err)
	}
	if l, err := b.List(t.Context(), "base"); err != nil || !slices.Equal(l.Files, []string{"a", "b"}) || l.Links["link"] != "a" {
		t.Errorf("%+v, %v", l, err)
	}
	p.set(func() { p.away = true })
	c.forward(time.Hour)
	if got, err := b.read(t, "a"); err != nil || len(got) != 10_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := b.List(t.Context(), "base"); err != nil {
		t.Error(err)
	}
	asked := p.count("_file_hash_and_stat")
	for range 10 { // it is known to be away: nobody waits for that again
		c.forward(time.Millisecond)
		if _, err := b.read(t, "a"); err != nil || p.count("_file_hash_and_stat") != asked {
			t.Errorf("asked %d times, %v", p.count("_file_hash_and_stat")-asked, err)
		}
	}
	for what, err := range map[string]error{
		"a file": func() error { _, err := b.read(t, "empty"); return err }(),
		"a list": func() error { _, err := b.List(t.Context(), "dev"); return err }(),
		"envs":   func() error { _, err := b.Envs(t.Context()); return err }(),
	} {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s that was never asked for: %v", what, err)
		}
	}
	p.set(func() { p.away, p.files["a"] = false, "back" })
	c.forward(awayFor)
	if got, err := b.read(t, "a"); err != nil || got != "back" {
		t.Errorf("when it is back: %d bytes, %v", len(got), err)
	}
}

// TestOddAnswers: what no master answers is an error, and nothing worse.
func TestOddAnswers(t *testing.T) {
	for _, odd := range []any{
		"", int64(1),
		[]any{},
		[]any{int64(1)},
		value.NewMap(),
		[]any{"x", nil},
		[]any{value.NewMap("hash_type", "sha256", "hsum", "../x"), nil},
		[]any{value.NewMap("hash_type", "sha256", "hsum", strings.Repeat("a", 64)), []any{int64(1)}},
		[]any{value.NewMap("hsum", int64(1)), "x"},
	} {
		b, p, _ := plant(t)
		p.odd = odd
		if _, err := b.read(t, "a"); err == nil {
			t.Errorf("%v is a file", odd)
		}
		if l, err := b.List(t.Context(), "base"); err == nil {
			t.Errorf("%v is a list: %v", odd, l)
		}
	}
}

func FuzzReadInfo(f *testing.F) {
	f.Add("sha256", "ab", int64(-1), 10)
	f.Fuzz(func(t *testing.T, typ, hex string, size int64, n int) {
		stat := make([]any, max(min(n, 20), 0))
		for i := range stat {
			stat[i] = size
		}
		v, err := readInfo([]any{value.NewMap("hash_type", typ, "hsum", hex), stat})
		if i, ok := v.(info); ok && err == nil && (len(i.stat) != 10 || i.stat[6] < 0) {
			t.Errorf("%+v", i)
		}
	})
}

// TestOvertaken: who looked for an answer just before another's question brought it does not
// ask once more.
func TestOvertaken(t *testing.T) {
	b, p, _ := plant(t)
	if _, err := b.Envs(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := b.question(t.Context(), b.answers, "envs", value.NewMap("cmd", "_file_envs"), readTexts)
	if err != nil || fmt.Sprint(got) != "[dev base]" && fmt.Sprint(got) != "[base dev]" || p.count("_file_envs") != 1 {
		t.Errorf("%v, %v; asked %d times", got, err, p.count("_file_envs"))
	}
}
