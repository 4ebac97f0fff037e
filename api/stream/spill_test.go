package stream

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// life opens a hub with what is kept in a folder; end closes it as a daemon does.
func life(t *testing.T, dir, epoch string, bound int64) (h *Hub, end func()) {
	t.Helper()
	return lifeBy(t, dir, epoch, bound, time.Now)
}

// lifeBy is life by a clock.
func lifeBy(t *testing.T, dir, epoch string, bound int64, now func() time.Time) (h *Hub, end func()) {
	t.Helper()
	s, err := OpenSpill(dir, bound, now, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Epoch: epoch, Spill: s}), func() {
		t.Helper()
		s.put(Event{}) // a hub that is not closed yet
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// heard is what a reader that comes back is given at once.
func heard(t *testing.T, h *Hub, perms Permissions, after string) (tags []string, gap *Gap) {
	t.Helper()
	r, gap, err := h.Subscribe(Filter{}, perms, after)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		e, ok, err := r.Try()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return tags, gap
		}
		tags = append(tags, e.Tag)
	}
}

func numbers(from, to int) (tags []string) {
	for i := from; i <= to; i++ {
		tags = append(tags, fmt.Sprint("t", i))
	}
	return tags
}

// Over restarts nothing is lost and nothing comes twice, and a reader hears what it may.
func TestRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "api")
	all := Permissions{All: true}
	n := 0
	publish := func(h *Hub, k int) {
		for range k {
			n++
			to := Audience{}
			if n%2 == 0 {
				to = Audience{Kind: Job, User: "bob"}
			}
			h.Publish(fmt.Sprint("t", n), []byte(`{"n": 1}`), to)
		}
	}
	for i := range 4 {
		func() {
			h, end := life(t, dir, fmt.Sprint("e", i), 1<<20)
			defer end()
			publish(h, 5)
			for of := range i + 1 {
				for k := range 6 { // up to the last of that life
					after := fmt.Sprintf("e%d-%d", of, 5*of+k)
					want := numbers(5*of+k+1, n)
					if got, gap := heard(t, h, all, after); !slices.Equal(got, want) || gap != nil {
						t.Errorf("life %d, after %s: %q %v", i, after, got, gap)
					}
					got, gap := heard(t, h, Permissions{User: "bob"}, after)
					if want := slices.DeleteFunc(want, func(s string) bool { return (s[len(s)-1]-'0')%2 == 1 }); !slices.Equal(got, want) || gap != nil {
						t.Errorf("life %d, bob after %s: %q %v", i, after, got, gap)
					}
				}
				if got, gap := heard(t, h, Permissions{User: "eve"}, fmt.Sprintf("e%d-%d", of, 5*of)); got != nil || gap != nil {
					t.Errorf("eve is given %q %v", got, gap)
				}
			}
			// An invented id is unknown.
			for _, forged := range []string{
				fmt.Sprintf("e%d-%d", i, n+1), fmt.Sprintf("e%d-18446744073709551615", i), fmt.Sprintf("e%d-%d", i, 5*i-1), "e9-1", "e0--1", "e0-", "-1", "x",
			} {
				if got, gap := heard(t, h, all, forged); got != nil || gap == nil || gap.Missed != 0 {
					t.Errorf("life %d, after %s: %q %v", i, forged, got, gap)
				}
			}
		}()
	}
	if fi, err := os.Stat(filepath.Join(dir, "events")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
}

// Wherever the file ends after a kill: each reader is given what is kept in its order, and
// behind it what the new life begins with, which is that something may be missing; whoever
// has read more than is kept learns of the gap.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	h, end := life(t, dir, "e", 1<<20)
	for i := range 10 {
		h.Publish(fmt.Sprint("t", i+1), []byte("{}"), Audience{})
	}
	end()
	whole, err := os.ReadFile(filepath.Join(dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		for _, spoil := range []bool{false, true} {
			text := bytes.Clone(whole[:cut])
			if spoil && cut > 0 {
				text[cut-1] ^= 1
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "events"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			again, end := life(t, dir, "f", 1<<20)
			kept := again.Figures().Kept
			again.Publish("new", nil, Audience{})
			for had := range 11 {
				got, gap := heard(t, again, Permissions{All: true}, fmt.Sprint("e-", had))
				switch want := append(numbers(had+1, kept), "new"); {
				case gap == nil && !slices.Equal(got, want):
					t.Fatalf("%d bytes, after %d: %q and no gap", cut, had, got)
				case gap == nil && had > kept:
					t.Fatalf("%d bytes, after %d: no gap though %d are kept", cut, had, kept)
				case gap != nil && had <= kept && kept > 0:
					t.Fatalf("%d bytes, after %d: a gap though %d are kept", cut, had, kept)
				}
			}
			end()
			// What is written behind the torn end can be read.
			third, end := life(t, dir, "g", 1<<20)
			if got, gap := heard(t, third, Permissions{All: true}, "f-"+fmt.Sprint(third.seq-1)); gap != nil || !slices.Equal(got, []string{"new"}) {
				t.Fatalf("%d bytes: %q %v", cut, got, gap)
			}
			end()
		}
	}
}

// The files have a bound, and the latest events are those that stay.
func TestSpillIsBounded(t *testing.T) {
	dir := t.TempDir()
	const bound = 64 << 10
	h, end := life(t, dir, "e", bound)
	text := []byte(strings.Repeat("x", 1000))
	for i := range 2000 {
		h.Publish(fmt.Sprint("t", i+1), text, Audience{})
		if i%20 == 19 { // in pieces, as they come
			for waits := true; waits; {
				h.o.Spill.mu.Lock()
				waits = len(h.o.Spill.waiting) > 0
				h.o.Spill.mu.Unlock()
			}
		}
	}
	end()
	total := int64(0)
	for _, name := range []string{"events", "events.old"} {
		fi, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += fi.Size()
	}
	if total > bound+2*21*1100 { // and a piece each
		t.Errorf("%d bytes", total)
	}
	again, end := life(t, dir, "f", bound)
	defer end()
	if n := again.Figures().Kept; n < 20 || n > 2*bound/1000 {
		t.Errorf("%d events", n)
	}
	if got, gap := heard(t, again, Permissions{All: true}, "e-1995"); gap != nil || !slices.Equal(got, numbers(1996, 2000)) {
		t.Errorf("%q %v", got, gap)
	}
	if _, gap := heard(t, again, Permissions{All: true}, "e-1"); gap == nil {
		t.Error("no gap for dropped events")
	}
	if _, err := OpenSpill(dir, bound, time.Now, quiet); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second process: %v", err)
	}
}

// What comes faster than it can be written is left out, and nobody takes the rest for all.
func TestSpillOverflows(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenSpill(dir, 64<<20, time.Now, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(spillQueue + 100) { // nobody writes yet
		s.put(Event{Seq: i + 1, Tag: "x"})
	}
	s.begin("e", 1)
	for waits := true; waits; {
		s.mu.Lock()
		waits = len(s.waiting) > 0 || s.hole
		s.mu.Unlock()
	}
	s.put(Event{Seq: spillQueue + 101, Tag: "last"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	h, end := life(t, dir, "f", 64<<20)
	defer end()
	if got, gap := heard(t, h, Permissions{All: true}, fmt.Sprint("e-", spillQueue-1)); gap == nil || !slices.Equal(got, []string{"last"}) {
		t.Errorf("%d events, gap %v", len(got), gap)
	}
	if got, gap := heard(t, h, Permissions{All: true}, fmt.Sprint("e-", spillQueue+100)); gap != nil || !slices.Equal(got, []string{"last"}) {
		t.Errorf("%d events, gap %v", len(got), gap)
	}
}

// A disk that takes nothing costs the events of that time, and nothing else. When it is tried
// again says the clock that the spill was given.
func TestSpillFails(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		at := time.Unix(1000, 0)
		h, end := lifeBy(t, dir, "e", 2000, func() time.Time { return at })
		if err := os.MkdirAll(filepath.Join(dir, "events.old", "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		publish := func(from, to int) {
			for _, tag := range numbers(from, to) {
				h.Publish(tag, bytes.Repeat([]byte("x"), 300), Audience{})
				synctest.Wait()
			}
		}
		publish(1, 10) // at the fourth the file is full, and cannot become the older one
		if err := os.RemoveAll(filepath.Join(dir, "events.old")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		at = at.Add(spillRetry)
		publish(11, 12)
		end()
	})
	h, end := life(t, dir, "f", 2000)
	defer end()
	if got, gap := heard(t, h, Permissions{All: true}, "e-10"); gap != nil || !slices.Equal(got, numbers(11, 12)) {
		t.Errorf("%q %v", got, gap)
	}
	if _, gap := heard(t, h, Permissions{All: true}, "e-2"); gap == nil {
		t.Error("no gap")
	}
}

// Whatever stands in a file, it is read or passed over; what is read is what is written.
func FuzzSpill(f *testing.F) {
	whole := appendStart(nil, "e", 1)
	whole = appendEvent(whole, Event{Seq: 1, Tag: "salt/job/1/new", For: Audience{Job, "bob"}, Data: []byte("{}")})
	f.Add(appendEvent(whole, Event{Seq: 2, Tag: "", Data: []byte{}}))
	f.Add(appendStart(whole, "f", 9))
	f.Add(whole[:len(whole)-1])
	f.Add([]byte("nonsense that is longer than a head"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p past
		good := p.load(b)
		if good > len(b) {
			t.Fatalf("%d of %d bytes are good", good, len(b))
		}
		for rest := b[:good]; len(rest) > 0; {
			r, next, err := readRecord(rest)
			if err != nil {
				t.Fatal(err)
			}
			again := appendEvent(nil, r.event)
			if r.epoch != "" {
				again = appendStart(nil, r.epoch, r.next)
			}
			if have, _, err := readRecord(again); err != nil || fmt.Sprint(have) != fmt.Sprint(r) {
				t.Fatalf("%v: %v %v", r, have, err)
			}
			rest = next
		}
		for i, e := range p.events {
			if i > 0 && e.Seq != p.events[i-1].Seq+1 {
				t.Fatalf("%d behind %d", e.Seq, p.events[i-1].Seq)
			}
		}
		p.trim(3, 100)
		if len(p.events) > 3 {
			t.Fatal("too many are kept")
		}
	})
}
