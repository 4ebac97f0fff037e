package engine

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

func minions(n int) []Minion {
	out := make([]Minion, n)
	for i := range out {
		out[i] = Minion{ID: fmt.Sprintf("host-%06d.example.com", i), Live: Up}
	}
	return out
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// A job that waits for one of 10,000 minions takes a few KiB. Ids are shared between jobs. Closed
// jobs leave nothing behind.
func TestAJobKeepsThoseItWaitsFor(t *testing.T) {
	synctest.Test(t, testSize)
}

func testSize(t *testing.T) {
	l := newLedger(AccountConfig{})
	defer l.close()
	const jobs, n = 100, 10_000
	before := heap()
	for k := range jobs {
		ms := minions(n) // fresh strings, as each publication matches anew
		jid := fmt.Sprint("j", k)
		if err := l.openJob(Job{JID: jid, Minions: ms}); err != nil {
			t.Fatal(err)
		}
		for i, m := range ms[1:] {
			l.returned(jid, m.ID, "", i%10 != 0)
		}
		for _, m := range ms[1:5] { // a late node may report them again
			l.expect(jid, Expectation{Path: "n", Minions: []string{m.ID}})
			l.reportGone(jid, "", map[string]jobevent.Absence{m.ID: {Reason: NotConnected, Path: "n"}}, nil)
			l.overdue(jid, Expired, map[string]string{m.ID: ""})
			if l.adopt(Job{JID: jid}, m.ID) || l.Expects(jid, m.ID) {
				t.Errorf("%s is waited for again", m.ID)
			}
		}
	}
	per := int64(heap()-before) / jobs
	t.Logf("a job that waits for 1 of %d minions holds %d KiB", n, per>>10)
	if per > 24<<10 {
		t.Errorf("a job that waits for 1 of %d minions holds %d bytes", n, per)
	}
	for k := range jobs {
		a, ok := l.State(fmt.Sprint("j", k))
		if !ok || a.Expected != n || a.Returned != 8999 || a.Failed != 1000 || len(a.Waiting) != 1 || len(a.Missing) != 0 {
			t.Fatalf("the account is %d expected, %d returned, %d failed, %d missing, %d waited for", a.Expected, a.Returned, a.Failed, len(a.Missing), len(a.Waiting))
		}
		l.returned(a.JID, minions(1)[0].ID, "", true)
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	if n := len(l.names.index) + len(l.jobs); n != 0 || len(l.names.free) != len(l.names.ids) {
		t.Errorf("%d ids and jobs are kept of jobs that are over", n)
	}
}

// Stored answers are added when a job opens. The job closes when all stored state has been added,
// not before.
func TestOpenWithAnswers(t *testing.T) {
	var done []Account
	l := newLedger(AccountConfig{Hooks: Hooks{Complete: func(a Account) { done = append(done, a) }}})
	defer l.close()
	err := l.openJob(Job{
		JID: "j", Minions: []Minion{{ID: "here", Live: Up}}, Nodes: []Node{{ID: "n", Live: Up}}, Restoring: true,
		Answers: []Answer{{ID: "here", OK: true}, {ID: "b", Path: "n", OK: false}, {ID: "b", Path: "n"}, {ID: "unasked", Path: "n", OK: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l.expect("j", Expectation{Path: "n", Minions: []string{"b"}})
	if len(done) != 0 {
		t.Fatalf("it closed before everything was reported: %+v", done)
	}
	l.reportGone("j", "", map[string]jobevent.Absence{"c": {Reason: NotConnected, Path: "n"}}, nil)
	l.restored("j")
	if len(done) != 1 || done[0].Expected != 4 || done[0].Returned != 2 || done[0].Failed != 1 || len(done[0].Missing) != 1 {
		t.Errorf("closed with %+v", done)
	}
	l.restored("unknown")
}

// A return visits its own entry only, with 1,000 nodes or 1,000 held reports.
func TestAReturnLooksAtItsOwnEntry(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		name string
		job  Job
		held bool
	}{
		{"silent Python syndics", Job{JID: "j", Everyone: true}, false},
		{"held words", Job{JID: "j", Nodes: []Node{{ID: "n0", Live: Up}, {ID: "n1", Live: Up}}}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLedger(AccountConfig{Where: func(string, string) (string, bool) { return "n1", c.held }})
			defer l.close()
			ms := minions(n)
			c.job.Minions = ms
			if !c.held {
				for i := range n {
					c.job.Nodes = append(c.job.Nodes, Node{ID: fmt.Sprint("n", i), Live: Untracked})
				}
			}
			if err := l.openJob(c.job); err != nil {
				t.Fatal(err)
			}
			if c.held {
				gone := map[string]jobevent.Absence{}
				var ids []string
				for i := range n {
					ids = append(ids, fmt.Sprint("x", i))
					gone[ids[i]] = jobevent.Absence{Reason: NotConnected, Path: "n0"}
				}
				l.expect("j", Expectation{Path: "n0", Minions: ids})
				l.reportGone("j", "", gone, nil)
			}
			if !c.held {
				time.Sleep(6 * time.Second) // after syndic_wait they are silent
				synctest.Wait()
			}
			for _, m := range ms[:n-1] {
				l.returned("j", m.ID, "", true)
			}
			if looks := l.jobs["j"].looks; looks > 3*n {
				t.Errorf("%s: %d returns looked at %d nodes and words", c.name, n, looks)
			}
			if c.held {
				l.expect("j", Expectation{Path: "n1", Minions: []string{"x7"}})
				if a, _ := l.State("j"); len(a.Missing) != n-1 || len(a.Waiting) != 2 {
					t.Errorf("%d are missing and %d waited for", len(a.Missing), len(a.Waiting))
				}
			}
		})
	}
}

// Cost of one return of a job for everyone, by number of nodes.
func BenchmarkReturned(b *testing.B) {
	for _, nodes := range []int{0, 100, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			l := newLedger(AccountConfig{})
			defer l.close()
			spec := Job{JID: "j", Everyone: true, Minions: minions(b.N + 1)}
			for i := range nodes {
				spec.Nodes = append(spec.Nodes, Node{ID: fmt.Sprintf("n%d", i), Live: Up})
			}
			ids := spec.Minions[1:]
			if err := l.openJob(spec); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for _, m := range ids {
				l.returned("j", m.ID, "", true)
			}
		})
	}
}
