package syndic

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// slowParent is a parent that holds its answers to one command until the test releases them, in the
// order of the requests.
type slowParent struct {
	*fakeParent

	mu   sync.Mutex
	held []heldRequest
}

type heldRequest struct {
	jobs []string // jobs in the request, in order
	let  chan struct{}
}

func startSlowParent(t *testing.T, cmd string) (*slowParent, *node) {
	t.Helper()
	p := &slowParent{fakeParent: startParent(t, channeltest.Rules{})}
	then := map[string]channeltest.Handler{"_syndic_return": p.take, "_minion_event": p.hear}[cmd]
	p.Change(func(r *channeltest.Rules) {
		r.Handle[cmd] = func(id string, load *wire.Map) any {
			h := heldRequest{let: make(chan struct{})}
			for _, v := range load.List("load") {
				h.jobs = append(h.jobs, v.(*wire.Map).String("jid"))
			}
			for _, v := range load.List("events") {
				h.jobs = append(h.jobs, v.(*wire.Map).String("tag"))
			}
			if len(h.jobs) > 0 { // not an announcement
				p.mu.Lock()
				p.held = append(p.held, h)
				p.mu.Unlock()
				<-h.let
			}
			return then(id, load)
		}
	})
	n := plant(t, never, p.fakeParent)
	n.pace.Answer = patience
	n.run(t)
	n.awaitUp(t)
	t.Cleanup(func() {
		n.stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, h := range p.held {
			close(h.let)
		}
	})
	return p, n
}

// under waits until n requests are held, and returns their jobs.
func (p *slowParent) under(t *testing.T, n int) (out [][]string) {
	t.Helper()
	waiting.Until(t, fmt.Sprint(n, " requests under way"), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.held) >= n
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.held {
		out = append(out, h.jobs)
	}
	return out
}

// answer answers request i.
func (p *slowParent) answer(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.held[i].let)
	p.held = slices.Delete(p.held, i, i+1)
}

// The reports of a second job do not wait for the answer to the first; those of a third do, and so
// do further ones of a job in flight.
func TestFlight_TwoRequests(t *testing.T) {
	for cmd, say := range map[string]func(t *testing.T, n *node, jid string, i int){
		"_minion_event": func(t *testing.T, n *node, jid string, i int) {
			n.local.fire(t, jid, wire.NewMap("minions", []any{fmt.Sprint("web-", i)}, "jid", jid))
		},
		"_syndic_return": func(t *testing.T, n *node, jid string, i int) {
			n.local.commit(t, jid, fmt.Sprint("web-", i))
			n.local.complete(t, jid)
		},
	} {
		t.Run(cmd, func(t *testing.T) {
			p, n := startSlowParent(t, cmd)
			want := func(is [][]string, should ...string) {
				t.Helper()
				if got := fmt.Sprint(is); got != "["+strings.Join(should, " ")+"]" {
					t.Errorf("in flight: %s, want %v", got, should)
				}
			}
			say(t, n, job(1), 1)
			want(p.under(t, 1), "["+job(1)+"]")
			say(t, n, job(1), 2) // of the same job: waits
			say(t, n, job(2), 1)
			want(p.under(t, 2), "["+job(1)+"]", "["+job(2)+"]")
			say(t, n, job(3), 1)
			p.answer(1) // of job 2; job 3 is sent, job 1 still waits
			want(p.under(t, 2), "["+job(1)+"]", "["+job(3)+"]")
			p.answer(0)
			want(p.under(t, 2), "["+job(3)+"]", "["+job(1)+"]")
			p.answer(1)
			p.answer(0)
			if cmd == "_syndic_return" {
				waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
				for _, ret := range [][2]string{{job(1), "web-1"}, {job(1), "web-2"}, {job(2), "web-1"}, {job(3), "web-1"}} {
					if c := p.has(ret[0], ret[1]); c != 1 {
						t.Errorf("%v came %d times", ret, c)
					}
				}
			}
		})
	}
}

// Reports of one job arrive in order, and its end counts when the last of them is accepted,
// whatever else is in flight.
func TestFlight_ReportsOfAJobInOrder(t *testing.T) {
	p, n := startSlowParent(t, "_minion_event")
	missing := func(k int) string { return "salt/job/" + job(k) + "/missing" }
	end := func(k int) {
		n.local.fire(t, "salt/job/"+job(k)+"/closed", wire.NewMap("jid", job(k), "word", 7))
	}
	n.local.fire(t, job(1), wire.NewMap("minions", []any{"web-1"}, "jid", job(1)))
	p.under(t, 1)
	n.local.fire(t, missing(1), wire.NewMap("jid", job(1)))
	end(1)
	n.local.fire(t, missing(2), wire.NewMap("jid", job(2)))
	end(2)
	if got := p.under(t, 2); fmt.Sprint(got) != fmt.Sprint([][]string{{job(1)}, {missing(2)}}) {
		t.Errorf("in flight: %v", got)
	}
	p.answer(1)
	waiting.Until(t, "the end of job 2", func() bool { return n.local.lastReported(job(2)) == 7 })
	p.answer(0)
	if got := p.under(t, 1); fmt.Sprint(got) != fmt.Sprint([][]string{{missing(1)}}) {
		t.Errorf("in flight: %v", got)
	}
	if n.local.lastReported(job(1)) != 0 {
		t.Error("end of a job counted before its last report was accepted")
	}
	p.answer(0)
	waiting.Until(t, "the end of job 1", func() bool { return n.local.lastReported(job(1)) == 7 })
}

// Normal events do not delay reports.
func TestFlight_NormalEventsDelayNoUrgentOne(t *testing.T) {
	p, n := startSlowParent(t, "_minion_event")
	for i := range bounds.Default().ReportBatch {
		n.local.fire(t, fmt.Sprint("my/", i), wire.NewMap("a", 1))
	}
	p.under(t, 1)
	n.local.fire(t, job(1), wire.NewMap("minions", []any{}))
	n.local.fire(t, job(2), wire.NewMap("minions", []any{}))
	waiting.Until(t, "both jobs", func() bool {
		said := p.under(t, 2)
		return slices.ContainsFunc(said, func(s []string) bool { return slices.Contains(s, job(1)) }) &&
			slices.ContainsFunc(said, func(s []string) bool { return slices.Contains(s, job(2)) })
	})
}

// Rows refused while other requests are in flight are sent again; none is passed over, none set
// aside that a retry delivers.
func TestFlight_RefusedBesideOthers(t *testing.T) {
	p, n := startSlowParent(t, "_syndic_return")
	refuse := true
	p.set(func() { p.refuse = func(jid, _ string) bool { return refuse && jid == job(2) } })
	n.local.commit(t, job(1), "web-1")
	n.local.complete(t, job(1))
	p.under(t, 1)
	n.local.commit(t, job(2), "web-1")
	n.local.complete(t, job(2))
	p.under(t, 2)
	p.answer(1)
	waiting.Until(t, "the refusal", func() bool { return n.parents.links[0].returns.Figures.Failed.Load() == 1 })
	p.set(func() { refuse = false })
	p.answer(0)
	p.under(t, 1)
	p.answer(0)
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	if p.has(job(2), "web-1") != 1 || len(n.local.setAside()) != 0 {
		t.Errorf("row arrived %d times, %d rows set aside", p.has(job(2), "web-1"), len(n.local.setAside()))
	}
}
