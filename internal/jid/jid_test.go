package jid

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/vectors"
)

// salt has the answers of a running Salt about job ids.
type salt struct {
	Plain  string   `json:"plain"`
	Unique []string `json:"unique"`
	Pid    int      `json:"pid"`
	IsJid  []struct {
		JID  string `json:"jid"`
		Is   bool   `json:"is_jid"`
		Time string `json:"time"`
	} `json:"is_jid"`
	Dirs []struct {
		JID  string `json:"jid"`
		Hash string `json:"hash_type"`
		Dir  string `json:"dir"`
	} `json:"dirs"`
}

func load(t *testing.T) salt {
	t.Helper()
	var s salt
	vectors.Load(t, "jids.json", &s)
	if len(s.IsJid) == 0 || len(s.Dirs) == 0 || len(s.Unique) == 0 {
		t.Fatal("jids.json lacks a part")
	}
	return s
}

func TestAsSaltReads(t *testing.T) {
	s := load(t)
	for _, c := range s.IsJid {
		if got := Valid(c.JID); got != c.Is {
			t.Errorf("Valid(%q) = %v, Salt says %v", c.JID, got, c.Is)
		}
		if got := Pretty(c.JID); got != c.Time {
			t.Errorf("Pretty(%q) = %q, Salt says %q", c.JID, got, c.Time)
		}
	}
	for _, c := range s.Dirs {
		got, err := Dir(c.JID, c.Hash)
		if want := strings.TrimPrefix(c.Dir, "JOBS/"); err != nil || got != want {
			t.Errorf("Dir(%q, %q) = %q, %v, Salt says %q", c.JID, c.Hash, got, err, want)
		}
	}
}

// Salt's own ids, parsed and generated again.
func TestAsSaltMakes(t *testing.T) {
	s := load(t)
	for _, id := range append([]string{s.Plain}, s.Unique...) {
		at, err := Time(id)
		if err != nil {
			t.Fatalf("Time(%q): %v", id, err)
		}
		pid := 0
		if len(id) > 20 {
			pid = s.Pid
		}
		g := NewGenerator(func() time.Time { return at.In(time.FixedZone("east", 7200)) }, pid)
		if got := g.Next(); got != id {
			t.Errorf("made %q from the time of %q", got, id)
		}
	}
}

func TestTimeErrors(t *testing.T) {
	for _, id := range []string{"", "req", "2024010203040567890", "20241302030405678901", "20240102030405678901_"} {
		if _, err := Time(id); !errors.Is(err, ErrInvalid) {
			t.Errorf("Time(%q): err = %v, want ErrInvalid", id, err)
		}
		if at := time.Unix(1, 0); TimeOr(id, at) != at {
			t.Errorf("TimeOr(%q) = %v, want the other time", id, TimeOr(id, at))
		}
	}
	if got := Pretty("20241302030405678901"); got != "" {
		t.Errorf("Pretty of month 13 = %q", got)
	}
}

func TestGeneratorIncreases(t *testing.T) {
	at := time.Date(2024, 1, 2, 3, 4, 5, 678901999, time.UTC)
	now := at
	g := NewGenerator(func() time.Time { return now }, 0)
	got := []string{g.Next(), g.Next()}
	now = at.Add(-time.Hour) // the clock is set back
	got = append(got, g.Next())
	now = at.Add(time.Second)
	got = append(got, g.Next())
	want := []string{"20240102030405678901", "20240102030405678902", "20240102030405678903", "20240102030406678901"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGeneratorConcurrent(t *testing.T) {
	g := NewGenerator(nil, 7)
	var wg sync.WaitGroup
	ids := make([][]string, 8)
	for i := range ids {
		wg.Go(func() {
			for range 500 {
				ids[i] = append(ids[i], g.Next())
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, list := range ids {
		if !slices.IsSorted(list) {
			t.Error("one caller saw ids that do not increase")
		}
		for _, id := range list {
			if seen[id] || !Valid(id) {
				t.Fatalf("id %q twice or invalid", id)
			}
			seen[id] = true
		}
	}
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"20240102030405678901", "20240102030405678901_12", "req", "", "20240230000000000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		Pretty(s)
		at, err := Time(s)
		if err != nil {
			return
		}
		if !Valid(s) || New(at) != s[:20] {
			t.Errorf("Time(%q) = %v, which makes %q", s, at, New(at))
		}
	})
}
