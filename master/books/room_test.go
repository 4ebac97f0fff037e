package books

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/returners"
)

// stalled is a store on a disk that stands still until it is let go.
type stalled struct {
	gate chan struct{}
	n    int
}

func (s *stalled) SaveExpectations(_ context.Context, xs ...returners.Expectation) error {
	<-s.gate
	s.n += len(xs)
	return nil
}

// C14: while the disk stands still the ledger's hooks enter their words without waiting;
// who brings more waits beforehand, and goes on when the disk does. It runs with a bound
// of 10 words, which is crossed ten times.
func TestHooksDoNotWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &stalled{gate: make(chan struct{})}
		w := NewWriter(ctx, s, bounds.Bounds{WordQueue: 10, WordBatch: 3}, quiet, nil)
		ended := make(chan struct{})
		go func() { w.Run(); close(ended) }()
		if err := w.Room(ctx); err != nil {
			t.Errorf("there is room, and %v", err)
		}
		noted := make(chan struct{})
		go func() {
			for i := range 100 {
				w.Note(returners.Expectation{JID: fmt.Sprint(i)})
			}
			close(noted)
		}()
		select {
		case <-noted:
		case <-time.After(time.Hour):
			t.Error("a hook waits for the disk")
			close(s.gate)
			<-noted
		}
		short, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		if err := w.Room(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who brings more does not wait: %v", err)
		}
		room := make(chan error, 1)
		go func() { room <- w.Room(ctx) }()
		synctest.Wait()
		close(s.gate)
		if err := <-room; err != nil {
			t.Error(err)
		}
		if err := w.Wait(ctx); err != nil || s.n != 100 {
			t.Errorf("%d words were written, %v", s.n, err)
		}
		cancel()
		<-ended
		if err := w.Room(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// C14: a mark is on the disk before the job goes on.
func TestMarksAreSynced(t *testing.T) {
	dir := t.TempDir()
	o, err := NewOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUntold(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	fail := durable.New(func() error { return broken })
	o.sync, u.marks.sync = fail, fail
	const jid = "20260101000000000001"
	if err := o.Mark(jid); !errors.Is(err, broken) {
		t.Errorf("a mark that is not on the disk: %v", err)
	}
	if err := o.Clear(jid); err != nil {
		t.Error(err)
	}
	if _, err := u.Add(o, jid); !errors.Is(err, broken) {
		t.Errorf("a mark of a closed job that is not on the disk: %v in %s", err, filepath.Base(u.dir))
	}
}

// While a disk is full the words and ends of many jobs come: every job is ended once, when
// the disk takes something again, or handed back to be noted anew because a word of it was
// let go, and no more words are kept than may wait. It runs with 3 that may wait and 40
// jobs of 2 words.
func TestEndsOutliveAFullDisk(t *testing.T) {
	const jobs, most = 40, 3
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &shelf{err: returners.ErrFull}
		ended := map[string]int{}
		end := func(jid string) func() error {
			return func() error { ended[jid]++; return nil }
		}
		var w *Writer
		anew := 0
		w = NewWriter(ctx, s, bounds.Bounds{WordQueue: most, WordBatch: 2}, quiet, func(jids []string) {
			for _, jid := range jids {
				anew++
				since := w.Losses()
				w.Note(returners.Expectation{JID: jid})
				w.EndSince(jid, since, end(jid))
			}
		})
		done := make(chan struct{})
		go func() { w.Run(); close(done) }()
		for i := range jobs {
			jid := fmt.Sprint(i)
			w.Note(returners.Expectation{JID: jid})
			w.Note(returners.Expectation{JID: jid})
			w.End(jid, end(jid))
			synctest.Wait()
		}
		if words := len(w.owed) - jobs; words > most || len(ended) > 0 {
			t.Errorf("%d words are owed, %d jobs have ended", words, len(ended))
		}
		w.Then(func(error) {}) // the writer goes on after what was read here
		synctest.Wait()
		s.fail(nil)
		time.Sleep(2 * retryPause)
		synctest.Wait()
		if anew < jobs-most {
			t.Errorf("%d jobs were noted anew", anew)
		}
		stored := map[string]bool{}
		for _, jid := range s.kept {
			stored[jid] = true
		}
		for i := range jobs {
			if jid := fmt.Sprint(i); ended[jid] != 1 || !stored[jid] {
				t.Errorf("job %s ended %d times, its word is stored: %v", jid, ended[jid], stored[jid])
			}
		}
		cancel()
		<-done
	})
}
