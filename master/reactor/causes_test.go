package reactor

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/value"
)

// A reaction that triggers itself is cut after some rounds, whatever the path.
func TestLoops(t *testing.T) {
	for name, c := range map[string]struct {
		sls   string
		first string
		onJob func(s *stage) func(Job)
	}{
		"by the return of its job": {
			"a: {local.test.ping: [{tgt: m1}]}", "salt/job/20200101000000000000/ret/m1",
			func(s *stage) func(Job) {
				return func(j Job) {
					time.Sleep(100 * time.Millisecond)
					s.fire("salt/job/"+j.JID+"/ret/m1", "id", "m1", "jid", j.JID)
				}
			},
		},
		"by what its minion says": {
			"a: {local.event.send: [{tgt: m1}, {arg: [my/event]}]}", "my/event",
			func(s *stage) func(Job) {
				return func(j Job) {
					time.Sleep(300 * time.Millisecond)
					s.fire("my/event", "id", "m1")
					time.Sleep(100 * time.Millisecond)
					s.causes.Returned(j.JID, "m1")
				}
			},
		},
		"by an event that overtakes the return": {
			"a: {local.event.send: [{tgt: m1}, {arg: [my/event]}]}", "my/event",
			func(s *stage) func(Job) {
				return func(j Job) {
					s.causes.Returned(j.JID, "m1")
					time.Sleep(time.Second)
					s.fire("my/event", "id", "m1")
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, map[string]string{"a.sls": c.sls}, react(c.first, "a.sls"), react("salt/job/*/ret/*", "a.sls"))
				s.onJob = c.onJob(s)
				loops := s.bus.Subscribe(bus.SubscribeOptions{Prefix: "salt/reactors/loop", Size: 10})
				defer loops.Close()
				s.fire(c.first, "id", "m1")
				time.Sleep(time.Minute)
				if got := len(s.done()); got < maxRounds || got > 2*maxRounds {
					t.Errorf("%d rounds", got)
				}
				if s.r.Counts().Cut == 0 || !strings.Contains(s.log.String(), "leads to itself") || len(loops.C()) == 0 {
					t.Errorf("%d cut, reported %d times, log:\n%s", s.r.Counts().Cut, len(loops.C()), s.log)
				}
				// The same event from outside still starts a reaction.
				s.onJob = nil
				time.Sleep(time.Minute)
				s.fire(c.first, "id", "m1")
				if got := len(s.done()); got == 0 {
					t.Error("an event outside a loop is cut")
				}
			})
		})
	}
}

// A minion that returned before the publisher did is not busy: its later events start reactions,
// however many.
func TestLoops_ReturnBeforeThePublisherIsBack(t *testing.T) {
	const often = 3 * maxRounds
	for name, c := range map[string]struct {
		sls string
		via func(s *stage)
	}{
		"of a reaction": {"a: {local.test.ping: [{tgt: m1}]}", func(s *stage) {
			s.atOnce = func(j Job) { s.causes.Returned(j.JID, "m1") }
		}},
		"of a reaction's runner": {"a: {runner.test.arg: [{args: {x: 1}}]}", func(s *stage) {
			s.r.o.Do.Runner = func(_ context.Context, c Call) error {
				s.say("runner")
				jid := "9" + c.JID
				s.causes.Begin(jid, c.JID)
				s.causes.Returned(jid, "m1")
				s.causes.Began(jid, []string{"m1"})
				return nil
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, map[string]string{"a.sls": c.sls}, react("my/event", "a.sls"))
				c.via(s)
				for range often {
					s.fire("my/event", "id", "m1")
					time.Sleep(2 * afterwards)
				}
				if got := len(s.done()); got != often || s.r.Counts().Cut != 0 {
					t.Errorf("%d of %d, %d cut", got, often, s.r.Counts().Cut)
				}
			})
		})
	}
}

// A runner that fires its own trigger is a loop, and so are two files that trigger each other.
func TestLoops_Runner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{
			"a.sls": "a: {runner.event.send: [{args: {tag: two}}]}", "b.sls": "b: {runner.event.send: [{args: {tag: one}}]}",
		}, react("one", "a.sls"), react("two", "b.sls"))
		s.r.o.Do.Runner = func(_ context.Context, c Call) error {
			s.say("%s", c.Kwargs.String("tag"))
			time.Sleep(10 * time.Millisecond)
			return s.bus.Fire(c.Kwargs.String("tag"), value.NewMap("x", 1))
		}
		s.fire("one")
		time.Sleep(time.Second)
		if got := len(s.done()); got != 2*maxRounds {
			t.Errorf("%d rounds", got)
		}
	})
}

// Many events of many minions at once are not a loop.
func TestLoops_Storm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {local.state.apply: [{tgt: ID}]}"}, react("salt/minion/*/start", "a.sls"))
		for i := range 500 {
			id := fmt.Sprintf("m%d", i)
			s.fire("salt/minion/"+id+"/start", "id", id)
		}
		if got := len(s.done()); got != 500 || s.r.Counts().Cut != 0 {
			t.Errorf("%d of 500, %d cut", got, s.r.Counts().Cut)
		}
	})
}

// Progress events of states belong to their job or run.
func TestCauses_StateEvents(t *testing.T) {
	c := NewCauses(time.Now)
	c.begin("20261125160000000000", chain{"a.sls"})
	for tag, want := range map[string]int{
		"salt/state_result/20261125160000000000/top_master/x": 1, "salt/job/20261125160000000000/prog/m1/0": 1, "salt/state_result/1/m1/x": 0,
	} {
		if got := c.of(tag, nil); len(got) != want {
			t.Errorf("%s: %v", tag, got)
		}
	}
}
