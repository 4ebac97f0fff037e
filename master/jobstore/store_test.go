package jobstore

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

var quiet = slog.New(slog.DiscardHandler)

const job = "20240102030405678901"

func openLocal(t *testing.T, name string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), name), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newStore(t *testing.T, o Options) *Store {
	t.Helper()
	o.Log = quiet
	if o.Local == nil {
		o.Local = openLocal(t, "jobs.db")
	}
	s := New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ret(id string) returners.Return {
	return returners.Return{JID: job, ID: id, Fun: "test.ping", Success: true, Value: wire.Raw{0xc3}, Full: wire.Raw{0x81, 0xa1, 'a', 0xc3}}
}

func TestSaveReturns_OutboxOnce(t *testing.T) {
	s := newStore(t, Options{Parent: "parent"})
	for i, want := range []bool{true, false} {
		fresh, err := s.SaveReturns(t.Context(), []returners.Return{ret("m1")}, returners.Load{JID: job, Raw: wire.Raw{0x80}})
		if err != nil || len(fresh) != 1 || fresh[0] != want {
			t.Fatalf("%d: %v, %v", i, fresh, err)
		}
	}
	items, err := s.Outbox().OutboxRead(t.Context(), "parent", 0, 10, 1<<20)
	if err != nil || len(items) != 1 || items[0].ID != "m1" {
		t.Errorf("outbox %v, %v", items, err)
	}
	select {
	case <-s.Grown():
	default:
		t.Error("the forwarder was not notified")
	}
	if _, ok, err := s.Local().GetLoad(t.Context(), job); !ok || err != nil {
		t.Errorf("no load, %v", err)
	}
}

// saveJob stores a job as the master does, and reports whether it is new here.
func saveJob(t *testing.T, s *Store, load returners.Load, minions ...string) (fresh bool, err error) {
	t.Helper()
	e := engine.New(engine.Config{Storage: s.Embedded(), Now: func() time.Time { return cmp.Or(load.At, time.Now()) }})
	defer e.Close()
	save, known, err := e.Publish(t.Context(), engine.Publication{Spec: engine.Job{JID: load.JID}, Load: load, Minions: minions})
	if err != nil || known {
		return false, err
	}
	_, err = s.Save(t.Context(), save.Batch)
	return err == nil, err
}

func TestJobIsFreshOnce(t *testing.T) {
	s := newStore(t, Options{})
	load := returners.Load{JID: job, Raw: wire.Raw{0x80}}
	// Expectations of nodes below do not make a job known.
	if _, err := s.Save(t.Context(), returners.Batch{Expectations: []returners.Expectation{{JID: job, Node: "n1"}}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		fresh, err := saveJob(t, s, load, "m1")
		if err != nil || fresh != want {
			t.Errorf("%d: fresh %v, %v", i, fresh, err)
		}
	}
}

// Neither a load that came with returns from below, nor minions that came while running the job,
// mean that the job was published here.
func TestSave_AdoptedJobIsFresh(t *testing.T) {
	load := returners.Load{JID: job, Raw: wire.Raw{0x80}}
	adopted := returners.Expectation{JID: job, Minions: []string{"guest"}, State: returners.StateAdopted}
	stateless := adopted // no state: counts as published
	stateless.State = ""
	for _, c := range []struct {
		name   string
		loaded bool
		x      returners.Expectation
		fresh  bool
	}{
		{"adopted", false, adopted, true},
		{"adopted, and the load is here", true, adopted, true},
		{"without a state or a load", false, stateless, true},
		{"without a state", true, stateless, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, Options{})
			if _, err := s.Save(t.Context(), returners.Batch{Expectations: []returners.Expectation{c.x}}); err != nil {
				t.Fatal(err)
			}
			if c.loaded {
				if _, err := s.SaveReturns(t.Context(), []returners.Return{ret("m2")}, load); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range []bool{c.fresh, false} {
				if fresh, err := saveJob(t, s, load, "m1"); err != nil || fresh != want {
					t.Errorf("fresh %v, want %v, %v", fresh, want, err)
				}
				if _, err := s.Save(t.Context(), returners.Batch{Expectations: []returners.Expectation{adopted}}); err != nil { // one more comes
					t.Fatal(err)
				}
			}
		})
	}
}

// The remote store gets what was stored before it could be opened; until then queries go to the
// embedded one.
func TestRemote(t *testing.T) {
	remote := openLocal(t, "remote.db")
	var open atomic.Bool
	tries := make(chan struct{}, 100)
	s := newStore(t, Options{OpenRemote: func(context.Context) (returners.Returner, error) {
		defer func() { tries <- struct{}{} }()
		if !open.Load() {
			return nil, errors.New("not yet")
		}
		return remote, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-tries
	if _, err := s.SaveReturns(t.Context(), []returners.Return{ret("m1")}); err != nil {
		t.Fatal(err)
	}
	if _, err := saveJob(t, s, returners.Load{JID: job, Raw: wire.Raw{0x80}}); err != nil {
		t.Fatal(err)
	}
	if s.Reader(t.Context()) != s.Local() {
		t.Error("queried a store that is not open")
	}
	open.Store(true)
	waiting.Until(t, "the return and the load in the remote store", func() bool {
		got, err := remote.GetReturns(t.Context(), job)
		_, loaded, _ := remote.GetLoad(t.Context(), job)
		return err == nil && len(got) == 1 && loaded
	})
	if s.Reader(t.Context()) != returners.Reader(remote) {
		t.Error("not answered by the remote store")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRun_RemovesOldJobs(t *testing.T) {
	past := time.Now().Add(-48 * time.Hour)
	old := returners.Load{JID: "20200102030405678901", Raw: wire.Raw{0x80}, At: past}
	busy := returners.Load{JID: "20200102030405678902", Raw: wire.Raw{0x80}, At: past}
	s := newStore(t, Options{Keep: 24 * time.Hour, Busy: func() []string { return []string{busy.JID} }})
	for _, l := range []returners.Load{busy, old} {
		if _, err := saveJob(t, s, l); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := saveJob(t, s, returners.Load{JID: job, Raw: wire.Raw{0x80}, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	over := returners.Batch{Notes: []returners.Note{{Kind: returners.NoteOpen, JID: old.JID, Gone: true}, {Kind: returners.NoteOpen, JID: busy.JID, Gone: true}, {Kind: returners.NoteOpen, JID: job, Gone: true}}}
	if _, err := s.Save(t.Context(), over); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	waiting.Until(t, "the old job to go", func() bool {
		_, ok, err := s.Local().GetLoad(t.Context(), old.JID)
		return err == nil && !ok
	})
	cancel()
	<-done
	for what, jid := range map[string]string{"new": job, "busy": busy.JID} {
		if _, ok, err := s.Local().GetLoad(t.Context(), jid); !ok || err != nil {
			t.Errorf("the %s job went, %v", what, err)
		}
	}
}
