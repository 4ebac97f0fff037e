package returners

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func noteOf(n int) Note { return Note{Kind: NoteOpen, JID: fmt.Sprint(n)} }

// shelf notes what is committed, and whether that is synced.
type shelf struct {
	mu   sync.Mutex
	err  error
	hold chan struct{}
	got  []string
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *shelf) commit(b Batch) (Result, error) {
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return Result{}, s.err
	}
	text := fmt.Sprintf("returns %d notes", len(b.Returns))
	for _, n := range b.Notes {
		text += " " + n.JID
	}
	if b.Unsynced {
		text += " unsynced"
	}
	s.got = append(s.got, text)
	return allNew(b)
}

func (s *shelf) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.got, want) {
		t.Errorf("commits %q, want %q", s.got, want)
	}
	s.got = nil
}

// What nobody waits for shares the next commit in its order; an idle group commits it at
// once, without a sync.
func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		g := newGroup(t, GroupConfig{}, s.commit)
		g.Later()
		g.Later(noteOf(1), noteOf(2))
		synctest.Wait()
		s.want(t, "returns 0 notes 1 2 unsynced")
		s.hold = make(chan struct{})
		g.Later(noteOf(3))
		synctest.Wait() // it is being committed
		g.Later(noteOf(4))
		done := make(chan error, 1)
		go func() {
			_, err := g.Commit(t.Context(), Batch{Returns: []Return{ret(1)}, Notes: []Note{noteOf(5)}})
			done <- err
		}()
		synctest.Wait()
		g.Later(noteOf(6))
		close(s.hold)
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		s.want(t, "returns 0 notes 3 unsynced", "returns 1 notes 4 5 6")
	})
}

// What a full disk does not take is stored with the next commit that it takes, before
// what came later, and after a while by itself.
func TestLater_FullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{err: fmt.Errorf("commit: %w", ErrFull)}
		g := newGroup(t, GroupConfig{MaxRows: 3}, s.commit)
		for i := range 5 {
			g.Later(noteOf(i))
			synctest.Wait()
		}
		if _, err := submit(t.Context(), g, ret(1)); !errors.Is(err, ErrFull) {
			t.Errorf("a return: %v", err)
		}
		tried := g.Stats().Commits
		time.Sleep(laterPause / 2)
		if n := g.Stats().Commits; n != tried {
			t.Errorf("%d attempts in a pause", n-tried)
		}
		s.fail(nil)
		if _, err := submit(t.Context(), g, ret(2)); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		s.want(t, "returns 1 notes 0 1 2 3 4")
		s.fail(ErrUnavailable)
		for i := range 5 {
			g.Later(noteOf(i))
			synctest.Wait()
		}
		s.fail(nil)
		time.Sleep(2 * laterPause)
		synctest.Wait()
		s.want(t, "returns 0 notes 0 1 2 3 4 unsynced")
	})
}

// A note that no store takes is told, and harms nobody; so is what is left when the
// group ends.
func TestLater_Lost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &shelf{hold: make(chan struct{})}
		fails := func(b Batch) (Result, error) {
			if slices.ContainsFunc(b.Notes, func(n Note) bool { return n.JID == "bad" }) {
				return Result{}, ErrRejected
			}
			return s.commit(b)
		}
		g := NewGroup(&committer{fails}, GroupConfig{Log: slog.New(slog.NewTextHandler(&log, nil))})
		told := func() int { return strings.Count(log.String(), "Notes about jobs could not be stored") }
		g.Later(Note{Kind: "none", JID: "1"})
		if told() != 1 {
			t.Errorf("told %d times of a note without kind", told())
		}
		g.Later(noteOf(1))
		synctest.Wait()
		g.Later(noteOf(2))
		g.Later(Note{Kind: NoteOpen, JID: "bad"})
		g.Later(noteOf(3))
		close(s.hold)
		synctest.Wait()
		s.want(t, "returns 0 notes 1 unsynced", "returns 0 notes 2 unsynced", "returns 0 notes 3 unsynced")
		if told() != 2 {
			t.Errorf("told %d times of a note that no store takes", told())
		}
		s.fail(ErrFull)
		g.Later(noteOf(4))
		synctest.Wait()
		if err := g.Close(); err != nil || told() != 3 {
			t.Errorf("closed: %v, told %d times", err, told())
		}
		g.Later(noteOf(5)) // told already
	})
}

// While the disk stands still no more notes wait than may: the oldest go.
func TestLater_IsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{hold: make(chan struct{})}
		g := newGroup(t, GroupConfig{MaxPending: 3}, s.commit)
		g.Later(noteOf(0))
		synctest.Wait()
		done := make(chan struct{})
		go func() { // is submitted before the others
			defer close(done)
			if _, err := submit(context.Background(), g, ret(1)); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		for i := range 10 {
			g.Later(noteOf(i))
		}
		close(s.hold)
		<-done
		synctest.Wait()
		s.want(t, "returns 0 notes 0 unsynced", "returns 1 notes 7 8 9")
	})
}
