package rawfile

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func at(t *testing.T, path string) *Store {
	t.Helper()
	s, err := returners.OpenEvents(t.Context(), Name, returners.Options{Values: map[string]any{fileOption: path}})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Store)
}

func event(t *testing.T, n int) returners.Event {
	return returners.Event{Tag: "my/" + strconv.Itoa(n), Data: returnertest.Encode(t, wire.NewMap("n", n, "text", "é\n\"\xff"))}
}

// numbers reads the events in a file; each line must be whole.
func numbers(t *testing.T, path string) (out []int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var e struct {
			Data struct{ N int }
			Tag  string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Tag != "my/"+strconv.Itoa(e.Data.N) || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %q: %v", line, err)
		}
		out = append(out, e.Data.N)
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	s := at(t, path)
	must(t, s.Ping(t.Context()))
	must(t, s.SaveEvents(t.Context(), nil))
	must(t, s.SaveEvents(t.Context(), []returners.Event{event(t, 1), {Tag: "none"}}))
	ret := returnertest.Return(t, 1, "web", "test.ping", true)
	must(t, s.SaveReturns(t.Context(), []returners.Return{ret}))
	b, err := os.ReadFile(path)
	must(t, err)
	want := `{"data": {"n": 1, "text": "é\n\"\udcff"}, "tag": "my/1"}` + "\n" + `{"data": null, "tag": "none"}` + "\n" + returnertest.JSON(t, ret.Full) + "\n"
	if string(b) != want {
		t.Errorf("the file has\n%s, want\n%s", b, want)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != fileMode {
		t.Errorf("mode %v", info.Mode())
	}
	must(t, s.Close())
	if err := s.SaveEvents(t.Context(), []returners.Event{event(t, 1)}); !errors.Is(err, returners.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	broken := event(t, 2)
	broken.Data = wire.Raw{0x81}
	if err := at(t, path).SaveEvents(t.Context(), []returners.Event{broken}); !errors.Is(err, returners.ErrRejected) {
		t.Errorf("broken data: %v", err)
	}
}

// A file that is renamed or truncated while events are written loses none of those that
// follow, and has only whole lines.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events")
	s := at(t, path)
	var wg sync.WaitGroup
	const writers, each = 4, 50
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := s.SaveEvents(context.Background(), []returners.Event{event(t, w*each+i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	rotated := 0
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
			if err := os.Rename(path, path+"."+strconv.Itoa(rotated)); err == nil {
				rotated++
			}
		}
	}
	seen := map[int]bool{}
	files, err := filepath.Glob(path + "*")
	must(t, err)
	for _, f := range files {
		for _, n := range numbers(t, f) {
			seen[n] = true
		}
	}
	if len(seen) != writers*each || rotated == 0 {
		t.Errorf("%d events in %d files, want %d", len(seen), len(files), writers*each)
	}
	must(t, s.SaveEvents(t.Context(), []returners.Event{event(t, 1)}))
	must(t, os.Truncate(path, 0))
	must(t, s.SaveEvents(t.Context(), []returners.Event{event(t, 2)}))
	if got := numbers(t, path); len(got) != 1 || got[0] != 2 {
		t.Errorf("after it was truncated: %v", got)
	}
}

// A line that a crash has cut does not spoil the next one.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	must(t, os.WriteFile(path, []byte(`{"data": {"n"`), 0o600))
	must(t, at(t, path).SaveEvents(t.Context(), []returners.Event{event(t, 3)}))
	b, err := os.ReadFile(path)
	must(t, err)
	if lines := strings.SplitAfter(string(b), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], `{"data": {"n": 3`) {
		t.Errorf("%q", lines)
	}
}

// Another process may hold the lock; the call ends with its context.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	s := at(t, path)
	must(t, s.Ping(t.Context()))
	other, err := os.Open(path)
	must(t, err)
	must(t, unix.Flock(int(other.Fd()), unix.LOCK_EX))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.SaveEvents(ctx, []returners.Event{event(t, 4)}) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("locked: %v", err)
	}
	must(t, other.Close())
	must(t, s.SaveEvents(t.Context(), []returners.Event{event(t, 5)}))
	if got := numbers(t, path); len(got) != 1 || got[0] != 5 {
		t.Errorf("%v", got)
	}
}

// A full disk is reported as such, and leaves no part of a batch: with a limit on the size of
// files in place of a disk.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	s := at(t, path)
	must(t, s.SaveEvents(t.Context(), []returners.Event{event(t, 6)}))
	info, err := os.Stat(path)
	must(t, err)
	var old unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(info.Size()) + 10, Max: old.Max})) // Go ignores SIGXFSZ
	err = s.SaveEvents(t.Context(), []returners.Event{event(t, 7), event(t, 8)})
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	if err == nil || !errors.Is(err, returners.ErrUnavailable) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("a write above the limit: %v", err)
	}
	if got := numbers(t, path); len(got) != 1 || got[0] != 6 {
		t.Errorf("%v", got)
	}
	if err := s.fault("write", syscall.ENOSPC); !errors.Is(err, returners.ErrFull) {
		t.Errorf("no space: %v", err)
	}
	if err := at(t, "/dev/full").SaveEvents(t.Context(), []returners.Event{event(t, 9)}); !errors.Is(err, returners.ErrFull) {
		t.Errorf("/dev/full: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "no", "events")
	if err := at(t, gone).SaveEvents(t.Context(), []returners.Event{event(t, 1)}); !errors.Is(err, returners.ErrUnavailable) || !strings.Contains(err.Error(), gone) {
		t.Errorf("no directory: %v", err)
	}
	for _, bad := range []any{"", 7} {
		if _, err := returners.Open(t.Context(), Name, returners.Options{Values: map[string]any{fileOption: bad}}); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if _, err := returners.OpenStore(t.Context(), Name, returners.Options{}); !errors.Is(err, returners.ErrNoStore) {
		t.Errorf("as a job store: %v", err)
	}
	s, err := returners.Open(t.Context(), Name, returners.Options{Values: map[string]any{Name: map[string]any{"filename": "/x"}}})
	if err != nil || s.(*Store).path != "/x" {
		t.Errorf("%+v, %v", s, err)
	}
}
