package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// publishes lets the fake master fire the events of a job before it answers.
func (m *fakeMaster) publishes(events func()) {
	m.change(func() {
		m.answer = func(load *wire.Map) any {
			if load.String("cmd") == "publish" {
				events()
			}
			return wire.NewMap("load", wire.NewMap("jid", jobID, "minions", []any{"web-1"}, "missing", []any{}, "nodes", []any{}))
		}
	})
}

func (m *fakeMaster) complete(returned int) {
	m.fire("salt/job/"+jobID+"/complete", "jid", jobID, "expected", 2, "returned", returned, "failed", 0, "seconds", 1)
}

func TestRun(t *testing.T) {
	m := startMaster(t)
	m.publishes(func() {
		m.returns("web-1", "one")
		m.returns("web-2", "two", "retcode", 4)
		m.complete(2)
	})
	o, err := m.client().Run(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	if o.JID != jobID || len(o.Returns) != 2 || o.Returns["web-2"].Retcode != 4 || o.Returns["web-1"].Value.String() != `"one"` || o.Account.Returned != 2 {
		t.Errorf("%+v", o)
	}
	// On a timeout the outcome has the returns so far.
	ctx, cancel := context.WithCancel(within(t))
	m.publishes(func() { m.returns("web-1", "one") })
	f, err := m.client().Follow(ctx, ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	for u, err := range f.Updates(ctx) {
		if u.Return != nil {
			cancel()
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", u, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Next(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	cancel()
	if o, err := m.client().Run(ctx, ping("*")); err == nil || o.Account != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

// A job published by another program is followed from its stored returns to its end.
func TestFollowJob(t *testing.T) {
	m := startMaster(t)
	store := cached(m)
	store.put(t, "web-1", "one")
	f, err := m.client().FollowJob(within(t), jobID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.returns("web-1", "one")
	m.returns("web-2", "two")
	m.complete(2)
	var got []string
	for u, err := range f.Updates(within(t)) {
		switch {
		case err != nil:
			t.Fatal(err)
		case u.Return != nil:
			got = append(got, u.Return.ID+" "+u.Return.JID)
		case u.Complete != nil:
			got = append(got, fmt.Sprint(u.Complete.Returned))
		}
	}
	if want := "web-1 " + jobID + ", web-2 " + jobID + ", 2"; strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
	// A completed job ends at once.
	store.mu.Lock()
	store.done = wire.NewMap("jid", jobID, "expected", 1, "returned", 1, "failed", 0, "seconds", 1.0)
	store.mu.Unlock()
	over, err := m.client().FollowJob(within(t), jobID)
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	got = nil
	for u, err := range over.Updates(within(t)) {
		got = append(got, fmt.Sprint(u.Return != nil, u.Complete != nil, err))
	}
	if strings.Join(got, ", ") != "true false <nil>, false true <nil>" {
		t.Errorf("got %v", got)
	}
}

func TestFollowJobThatIsNotKnown(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any {
		return wire.NewMap("error", wire.NewMap("name", "SaltInvocationError", "message", "this master keeps no account of job "+jobID))
	}
	_, err := m.client().FollowJob(within(t), jobID)
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), jobID) {
		t.Errorf("%v", err)
	}
}

func TestReturns(t *testing.T) {
	m := startMaster(t)
	store := cached(m)
	for i := range 1100 {
		store.put(t, fmt.Sprintf("web-%04d", i), i)
	}
	n := 0
	for ret, err := range m.client().Returns(within(t), jobID) {
		if err != nil || ret.ID != fmt.Sprintf("web-%04d", n) || ret.Value.String() != fmt.Sprint(n) {
			t.Fatalf("%+v, %v", ret, err)
		}
		n++
	}
	if n != 1100 {
		t.Errorf("%d returns", n)
	}
	for range m.client().Returns(within(t), jobID) {
		break // no more pages are read
	}
	store.mu.Lock()
	pages := store.pages
	store.returns["web-0000"] = wire.Raw{0x80}
	store.mu.Unlock()
	if pages != 5 { // three with returns, an empty one, and one for the second loop
		t.Errorf("%d pages were read", pages)
	}
	bad := 0
	for _, err := range m.client().Returns(within(t), jobID) {
		if err != nil {
			bad++
		}
	}
	if bad != 1 {
		t.Errorf("%d errors for one return that cannot be read", bad)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap() } })
	for _, err := range m.client().Returns(within(t), jobID) {
		if !errors.Is(err, ErrNotReported) {
			t.Errorf("%v", err)
		}
	}
}
