package sequence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBegin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order")
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var last uint64
	for _, now := range []time.Time{noon, noon.Add(time.Second), noon.Add(-time.Hour), noon.Add(-time.Hour), time.Unix(-1, 0), noon.Add(24 * time.Hour)} {
		l, err := Begin(path, now)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Numbers().Next()
		if m.Number <= last {
			t.Errorf("the life that begins at %v numbers its first request %d, the last one had %d", now, m.Number, last)
		}
		last = m.Number
	}
	if want := uint64(noon.Add(24*time.Hour).UnixNano()) + 1; last != want {
		t.Errorf("with a sound clock the number is %d, want %d", last, want)
	}
}

// Without its file a Life still has numbers, and the error says what is wrong.
func TestBegin_SpoiltFile(t *testing.T) {
	dir := t.TempDir()
	for name, write := range map[string]func(path string) error{
		"not a number": func(path string) error { return os.WriteFile(path, []byte{0xc1}, 0o600) },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(dir, name)
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		l, err := Begin(path, time.Unix(1, 0))
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", name, err)
		}
		if m := l.Numbers().Next(); m.Number != 1e9+1 {
			t.Errorf("%s: number %d", name, m.Number)
		}
	}
}

// Receivers of one node have separate marks with shared numbers.
func TestNumbers(t *testing.T) {
	l := NewLife(time.Unix(0, 100))
	a, b := l.Numbers(), l.Numbers()
	for i, s := range []struct {
		of   *Numbers
		want Mark
		done bool
	}{
		{a, Mark{101, 101}, false},
		{b, Mark{102, 102}, true},
		{a, Mark{103, 101}, true},
		{b, Mark{104, 104}, true},
		{a, Mark{105, 101}, false},
	} {
		m := s.of.Next()
		if m != s.want {
			t.Errorf("step %d: %v, want %v", i, m, s.want)
		}
		if s.done {
			s.of.Done(m)
		}
	}
	a.Done(Mark{101, 101})
	a.Pass(50)
	if m := a.Next(); m != (Mark{106, 105}) {
		t.Errorf("a number that is passed already: %v", m)
	}
	b.Pass(200)
	if m := a.Next(); m != (Mark{201, 105}) {
		t.Errorf("behind 200: %v", m)
	}
}
