package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// saltMaster plays a Python master by a script. It serves one job.
type saltMaster struct {
	t     *testing.T
	began time.Time
	mu    sync.Mutex // guards job, which timers use
	job   *subscriber
	// answers is called with the number of each round of find_job and the minions that are asked.
	// It returns those that say that they run the job.
	answers func(round int, ids []string) (running []string, err error)
	rounds  int
	stored  []*Return
	denied  error // of storedReturns
	gone    error // of listenTo
	seen    []string
}

func newSubscriber() *subscriber {
	return &subscriber{l: newDispatcher(nil), more: make(chan struct{}, 1)}
}

func event(t *testing.T, tag string, kv ...any) bus.Event {
	t.Helper()
	data, err := wire.Encode(wire.NewMap(kv...))
	if err != nil {
		t.Fatal(err)
	}
	return bus.Event{Tag: tag, Data: data}
}

// heard returns the subscriber that hears of the job.
func (m *saltMaster) heard() *subscriber {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.job
}

func (m *saltMaster) fire(tag string, kv ...any) { m.heard().put(event(m.t, tag, kv...)) }

// open returns the subscriber that hears of the job from now on.
func (m *saltMaster) open() *subscriber {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.job = newSubscriber()
	return m.job
}

func (m *saltMaster) returns(ids ...string) {
	for _, id := range ids {
		m.fire("salt/job/"+jobID+"/ret/"+id, "id", id, "jid", jobID, "return", true, "retcode", 0, "success", true, "fun", "test.ping")
	}
}

func (m *saltMaster) note(format string, args ...any) {
	m.seen = append(m.seen, fmt.Sprintf("%g ", time.Since(m.began).Seconds())+fmt.Sprintf(format, args...))
}

func (m *saltMaster) findJob(_ context.Context, jid string, ids []string, wait time.Duration) (*subscriber, error) {
	slices.Sort(ids)
	m.note("ask %s", strings.Join(ids, ","))
	m.rounds++
	if jid != jobID || wait != saltWaits.answers {
		m.t.Errorf("asked about %s for %v", jid, wait)
	}
	var running []string
	if m.answers != nil {
		var err error
		if running, err = m.answers(m.rounds, ids); err != nil {
			return nil, err
		}
	}
	h := newSubscriber()
	other := "20260301120000000009"
	for _, id := range ids {
		tag := "salt/job/" + other + "/ret/" + id
		if slices.Contains(running, id) {
			h.put(event(m.t, tag, "id", id, "jid", other, "return", wire.NewMap("jid", jid, "fun", "test.sleep"), "retcode", 0))
		} else {
			h.put(event(m.t, tag, "id", id, "jid", other, "return", wire.NewMap(), "retcode", 0))
		}
	}
	if slices.Contains(running, "lost") {
		h.end(errTooSlow)
	}
	return h, nil
}

func (m *saltMaster) listenTo(context.Context, string) (*subscriber, error) {
	if m.gone != nil {
		return nil, m.gone
	}
	return m.open(), nil
}

func (m *saltMaster) storedReturns(context.Context, string) ([]*Return, error) {
	return m.stored, m.denied
}

// follow follows a job of minions to its end and returns what happened, with the seconds.
func (m *saltMaster) follow(minions ...string) []string {
	m.began = time.Now()
	f := followUnreported(m.t.Context(), m, quiet, jobID, m.open(), newAttendance(Published{Minions: minions}, nil, saltWaits, m.began))
	defer f.Close()
	for {
		u, err := f.Next(m.t.Context())
		switch {
		case err != nil:
			m.note("%v", err)
			return m.seen
		case u.Return != nil:
			m.note("return %s", u.Return.ID)
		case u.Expectation != nil:
			m.note("expect %s", strings.Join(u.Expectation.Minions, ","))
		case u.Complete != nil:
			a := u.Complete
			m.note("complete %d/%d", a.Returned, a.Expected)
			if !a.Judged || a.JID != jobID {
				m.t.Errorf("account %+v", a)
			}
			return m.seen
		}
	}
}

// later runs do after a time in the bubble.
func later(d time.Duration, do func()) { time.AfterFunc(d, do) }

func TestUnreportedJob(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(m *saltMaster) []string
		want string
	}{
		{"all return", func(m *saltMaster) []string {
			later(time.Second, func() { m.returns("a"); m.returns("b") })
			return m.follow("a", "b")
		}, "1 return a; 1 return b; 1 complete 2/2"},
		{"one never returns", func(m *saltMaster) []string {
			later(time.Second, func() { m.returns("a") })
			return m.follow("a", "b")
		}, "1 return a; 5 ask b; 15 complete 1/2"},
		{"one runs twice and returns", func(m *saltMaster) []string {
			m.answers = func(round int, _ []string) ([]string, error) { return []string{"b"}[:min(1, max(0, 3-round))], nil }
			later(time.Second, func() { m.returns("a") })
			later(27*time.Second, func() { m.returns("b") })
			return m.follow("a", "b")
		}, "1 return a; 5 ask b; 15 ask b; 25 ask b; 27 return b; 27 complete 2/2"},
		{"find_job cannot be published", func(m *saltMaster) []string {
			m.answers = func(int, []string) ([]string, error) { return nil, ErrUnreachable }
			later(9*time.Second, func() { m.returns("a") })
			return m.follow("a", "b")
		}, "5 ask a,b; 9 return a; 15 complete 1/2"},
		{"a syndic names more", func(m *saltMaster) []string {
			later(time.Second, func() {
				m.fire(jobID, "minions", []any{"a", "c", "d"})
				m.fire("salt/job/"+jobID+"/new", "jid", jobID, "minions", []any{"d", "e"})
				m.returns("a", "c")
			})
			later(2*time.Second, func() { m.returns("d", "e") })
			return m.follow("a")
		}, "1 expect c,d; 1 expect e; 1 return a; 1 return c; 2 return d; 2 return e; 2 complete 4/4"},
		{"duplicate returns and unreadable events", func(m *saltMaster) []string {
			later(time.Second, func() {
				m.returns("a", "a")
				m.fire(jobID, "id", "a", "jid", jobID, "return", true)
				m.fire("salt/job/"+jobID+"/ret/b", "id", "b")
				m.fire("salt/job/"+jobID+"/new", "minions", 7)
				m.heard().put(bus.Event{Tag: jobID, Data: []byte{0x81}})
				m.fire("salt/job/"+jobID+"/complete", "jid", jobID, "expected", 1)
				m.fire("salt/job/"+jobID+"/ret/a", "id", "a", "resource_id", "lamp", "jid", jobID, "return", true)
				m.returns("b")
			})
			return m.follow("a", "b")
		}, "1 return a; 1 return lamp; 1 return b; 1 complete 3/3"},
		{"answers are lost", func(m *saltMaster) []string {
			m.answers = func(round int, _ []string) ([]string, error) { return []string{"lost"}[:min(1, max(0, 2-round))], nil }
			return m.follow("a")
		}, "5 ask a; 10 ask a; 20 complete 0/1"},
		{"the bus is lost and returns are stored", func(m *saltMaster) []string {
			m.stored = []*Return{{ID: "a", Success: true}, {ID: "b", Success: true}}
			later(time.Second, func() { m.returns("a"); m.heard().end(errTooSlow) })
			later(2*time.Second, func() { m.returns("c") })
			return m.follow("a", "b", "c")
		}, "1 return a; 1 return b; 2 return c; 2 complete 3/3"},
		{"the user may not read the job cache", func(m *saltMaster) []string {
			m.denied = &Refused{Name: "AuthorizationError"}
			later(time.Second, func() { m.heard().end(errTooSlow) })
			later(2*time.Second, func() { m.returns("a") })
			return m.follow("a", "b")
		}, "2 return a; 5 ask b; 15 complete 1/2"},
		{"the bus is gone", func(m *saltMaster) []string {
			m.gone = ErrUnreachable
			later(time.Second, func() { m.heard().end(errTooSlow) })
			return m.follow("a")
		}, "1 " + ErrBusLost.Error() + ": too many unread events\nthe master does not answer; the job goes on, see: salt-run jobs.lookup_jid " + jobID},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := strings.Join(c.play(&saltMaster{t: t}), "; "); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

func TestUnreportedJobIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		m := &saltMaster{t: t, began: time.Now(), job: newSubscriber()}
		m.answers = func(int, []string) ([]string, error) { close(asked); return []string{"a"}, nil }
		f := followUnreported(t.Context(), m, quiet, jobID, m.job, newAttendance(Published{Minions: []string{"a"}}, nil, saltWaits, m.began))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		ended := make(chan error)
		go func() {
			_, err := f.Next(t.Context())
			ended <- err
		}()
		<-asked
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
		if _, err := f.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
	})
}

func TestRunsJob(t *testing.T) {
	for _, c := range []struct {
		value   any
		retcode int
		want    bool
	}{
		{wire.NewMap("jid", jobID), 0, true},
		{wire.NewMap("return", wire.NewMap("jid", jobID)), 0, true},
		{wire.NewMap("return", wire.NewMap()), 0, false},
		{wire.NewMap("jid", jobID), 1, false},
		{wire.NewMap(), 0, false},
		{"'saltutil.find_job' is not available.", 0, false},
		{nil, 0, false},
	} {
		raw, err := RawOf(c.value)
		if err != nil {
			t.Fatal(err)
		}
		if got := runsJob(wire.Return{Value: wire.Raw(raw), Retcode: c.retcode}); got != c.want {
			t.Errorf("%v, %d: %v", c.value, c.retcode, got)
		}
	}
}
