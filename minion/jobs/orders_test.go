package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSeenOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders")
	now := time.Unix(1_700_000_000, 0)
	open := func(now time.Time) *seenOrders {
		t.Helper()
		s, err := openSeenOrders(path, 100, now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(now)
	s.max = 10
	for i := range 10 {
		issued := now.Add(time.Duration(i) * time.Second)
		if err := s.add(fmt.Sprint(i), issued, issued.Add(time.Hour), now); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.add("3", now, now.Add(time.Hour), now); !errors.Is(err, errReplayed) {
		t.Errorf("again: %v", err)
	}
	// One too many: the oldest are forgotten, and others of their age are refused.
	if err := s.add("10", now.Add(time.Minute), now.Add(time.Hour), now); err != nil {
		t.Fatal(err)
	}
	for _, jid := range []string{"0", "5", "7", "10"} {
		if err := s.add(jid, now.Add(4*time.Second), now.Add(time.Hour), now); !errors.Is(err, errReplayed) {
			t.Errorf("%s: %v", jid, err)
		}
	}
	// A partial line and expired jobs are left out.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("17000"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if s := open(now); !s.has("10") || len(s.byJID) != 5 {
		t.Errorf("read %v", s.order)
	}
	if s := open(now.Add(3 * time.Hour)); len(s.byJID) != 0 {
		t.Errorf("read %v", s.order)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 0 {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

func FuzzSeenLine(f *testing.F) {
	f.Add(`1 2 "3"`)
	f.Fuzz(func(t *testing.T, line string) {
		jid, o, ok := parseSeen(line)
		if !ok {
			return
		}
		again, o2, ok := parseSeen(strings.TrimSuffix(seenLine(jid, o), "\n"))
		if !ok || again != jid || !o.issued.Equal(o2.issued) || !o.expires.Equal(o2.expires) {
			t.Errorf("%q becomes %q", jid, again)
		}
	})
}
