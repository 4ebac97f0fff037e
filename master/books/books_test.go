package books

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// gate is a store that lets a test hold and fail writes.
type gate struct {
	here, open chan struct{}
	err        error
	batches    [][]string
}

func (g *gate) SaveExpectations(_ context.Context, xs ...returners.Expectation) error {
	g.here <- struct{}{}
	<-g.open
	if g.err != nil {
		return g.err
	}
	var jids []string
	for _, x := range xs {
		jids = append(jids, x.JID)
	}
	g.batches = append(g.batches, jids)
	return nil
}

// What comes while a write is under way shares the next commit, and whoever waits
// hears what became of all before it.
func TestWriter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := &gate{here: make(chan struct{}, 8), open: make(chan struct{})}
	w := NewWriter(ctx, g, bounds.Bounds{}, quiet, nil)
	done := make(chan struct{})
	go func() { w.Run(); close(done) }()
	w.Note(returners.Expectation{JID: "1"})
	<-g.here
	told := make(chan error, 2)
	w.Note(returners.Expectation{JID: "2"})
	w.Then(func(err error) { told <- err })
	w.Note(returners.Expectation{JID: "3"})
	waiting, giveUp := context.WithCancel(ctx)
	giveUp()
	if err := w.Wait(waiting); !errors.Is(err, context.Canceled) {
		t.Errorf("waited until %v", err)
	}
	g.open <- struct{}{}
	<-g.here
	if len(told) != 0 {
		t.Error("told before it is stored")
	}
	g.open <- struct{}{}
	if err := <-told; err != nil {
		t.Error(err)
	}
	if err := w.Wait(ctx); err != nil { // nothing to store
		t.Error(err)
	}
	if got := fmt.Sprint(g.batches); got != "[[1] [2 3]]" {
		t.Errorf("stored %s", got)
	}
	g.err = errors.New("full")
	w.Note(returners.Expectation{JID: "4"})
	<-g.here
	w.Note(returners.Expectation{JID: "5"})
	w.Then(func(err error) { told <- err })
	close(g.open)
	if err := <-told; !errors.Is(err, g.err) {
		t.Errorf("told %v of what could not be stored", err)
	}
	cancel()
	<-done
}

// shelf is a store whose errors a test sets.
type shelf struct {
	mu   sync.Mutex
	err  error
	kept []string
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *shelf) has() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.kept)
}

func (s *shelf) SaveExpectations(_ context.Context, xs ...returners.Expectation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	for _, x := range xs {
		s.kept = append(s.kept, x.JID)
	}
	return nil
}

// A job that ends while the disk is full is ended when there is room again, and after
// what was to be stored of it.
func TestWriter_DiskIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &shelf{err: fmt.Errorf("commit: %w", returners.ErrFull)}
		w := NewWriter(ctx, s, bounds.Bounds{}, quiet, nil)
		done := make(chan struct{})
		go func() { w.Run(); close(done) }()
		var ended atomic.Int32
		w.Note(returners.Expectation{JID: "1"})
		w.End("1", func() error {
			if ended.Add(1) == 1 {
				return errors.New("no room for the mark")
			}
			return nil
		})
		if err := w.Wait(ctx); !errors.Is(err, returners.ErrFull) {
			t.Errorf("stored: %v", err)
		}
		time.Sleep(3*retryPause + retryPause/2)
		if ended.Load() != 0 {
			t.Error("the job has ended, and who is missing is not stored")
		}
		s.fail(nil)
		time.Sleep(2 * retryPause) // one attempt fails at the mark
		if ended.Load() != 2 || s.has() != "[1]" {
			t.Errorf("ended %d times, stored %s", ended.Load(), s.has())
		}
		s.fail(errors.New("a row that no store takes")) // must not hold up what comes later
		w.Note(returners.Expectation{JID: "2"})
		synctest.Wait() // the end comes in a batch of its own
		w.End("2", func() error { t.Error("ended without what was to be stored"); return nil })
		synctest.Wait()
		s.fail(nil)
		w.Note(returners.Expectation{JID: "3"})
		if err := w.Wait(ctx); err != nil || s.has() != "[1 3]" {
			t.Errorf("stored %s, %v", s.has(), err)
		}
		cancel()
		<-done
	})
}

// What waits for the disk is bounded.
func TestWriter_OwesNoMoreThan(t *testing.T) {
	w := NewWriter(t.Context(), &shelf{err: returners.ErrFull}, bounds.Bounds{WordQueue: 30, WordBatch: 7}, quiet, nil)
	for i := range 30/7 + 2 {
		batch := make([]entry, 7)
		for k := range batch {
			batch[k].x.JID = fmt.Sprint(i)
		}
		w.write(batch)
	}
	if len(w.owed) != 30 || w.owed[30-1].x.JID != fmt.Sprint(30/7+1) {
		t.Errorf("%d are owed, the last one of batch %s", len(w.owed), w.owed[len(w.owed)-1].x.JID)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	o, err := NewOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	const jid = "20240101000000000000"
	for range 2 {
		if err := o.Mark(jid); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "open_jobs", "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if jids, err := o.List(); err != nil || !slices.Equal(jids, []string{jid}) || !o.Has(jid) {
		t.Errorf("open are %v, %v", jids, err)
	}
	for range 2 {
		if err := o.Clear(jid); err != nil || o.Has(jid) {
			t.Errorf("cleared: %v", err)
		}
	}
}

// A closed job is known over a restart until the last word of it was heard.
func TestUntold(t *testing.T) {
	dir := t.TempDir()
	o, err := NewOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUntold(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	const jid = "20240101000000000000"
	if err := o.Mark(jid); err != nil {
		t.Fatal(err)
	}
	first, err := u.Add(o, jid)
	if err != nil || o.Has(jid) {
		t.Errorf("it is still marked as open: %v", err)
	}
	last, err := u.Add(o, jid)
	if err != nil || last == first {
		t.Errorf("words %d and %d, %v", first, last, err)
	}
	if err := u.Told(jid, first); err != nil || len(u.List()) != 1 {
		t.Errorf("an earlier word ends it: %v, %v", u.List(), err)
	}
	if u, err = NewUntold(dir, 10); err != nil {
		t.Fatal(err)
	}
	if err := u.Told(jid, u.List()[jid]); err != nil || len(u.List()) != 0 {
		t.Errorf("left are %v, %v", u.List(), err)
	}
}

// The bound of the closed jobs that are told again drops the oldest.
func TestUntoldIsBounded(t *testing.T) {
	const most = 20
	dir := t.TempDir()
	o, err := NewOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUntold(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	first := "20240101000000000000"
	for i := range most + 1 {
		n := fmt.Sprint(i)
		if _, err := u.Add(o, first[:14]+strings.Repeat("0", 6-len(n))+n); err != nil {
			t.Fatal(err)
		}
	}
	if _, has := u.List()[first]; has || len(u.List()) != most {
		t.Errorf("%d are kept", len(u.List()))
	}
	if _, err := os.Stat(filepath.Join(u.dir, first)); !os.IsNotExist(err) {
		t.Errorf("the file of the oldest: %v", err)
	}
}
