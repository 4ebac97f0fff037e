package engine

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/momtree/mom/internal/jobevent"
)

// TestLedgerScenarios runs testdata/ledger/*: each file is one ledger on a virtual clock.
// Commands:
//
//	open jid=J minions=(a,b) untracked=(c) away=(d) down=(e) nodes=(n:m1:m2@n/o) plain=(p) downnodes=(q:m1:m2) unclaimed=(u) named=2 everyone queue timeout=5s
//	hold jid=J / letclose jid=J
//	grow jid=J part=2: as open; it is held before
//	expect jid=J path=n minions=(x,y) asked=(o) plain|untracked part=2 parts=2
//	return jid=J id=x path=n [fail]
//	gone jid=J path=n ids=(x) nodes=(n/o)
//	found jid=J id=c running|not
//	isnode jid=J id=c
//	again id=a for=5s: it is not certain whether it is gone, look again then / sure id=a
//	stockup id=a / stockdown id=a wait=5s
//	at id=x path=n/o: where it is connected
//	up id=a jobs=(J) / down id=a / nodeup id=n / nodedown id=n
//	wait 5s
//	state jid=J
func TestLedgerScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/ledger", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			s := &ledgerScenario{t: t, start: time.Now()}
			s.at, s.again = map[string]string{}, map[string]time.Duration{}
			s.ledger = newLedger(AccountConfig{Where: s.where, Gone: s.gone, Hooks: Hooks{Complete: s.complete, Missing: s.missing, FindJob: s.findJob, Rescued: s.rescued}})
			defer s.ledger.close()
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				s.run(t, d)
				synctest.Wait()
				s.ledger.armed(t)
				return s.heard()
			})
		})
	})
}

type ledgerScenario struct {
	t      *testing.T
	start  time.Time
	ledger *ledger

	mu    sync.Mutex // hooks run in timers too
	out   strings.Builder
	at    map[string]string // where minions are connected
	again map[string]time.Duration
}

func (s *ledgerScenario) gone(id string) (certain bool, again time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, named := s.again[id]; named {
		return false, d
	}
	return true, 0
}

func (s *ledgerScenario) where(id, other string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.at[id]
	return path, path != "" && path != other
}

// heard returns the calls of the hooks since the last call.
func (s *ledgerScenario) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.out.Reset()
	if s.out.Len() == 0 {
		return "ok\n"
	}
	return s.out.String()
}

func (s *ledgerScenario) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.out, "%gs ", time.Since(s.start).Seconds())
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func (s *ledgerScenario) complete(a Account) {
	s.say("complete %s expected=%d returned=%d failed=%d missing=%s nodes=%s", a.JID, a.Expected, a.Returned, a.Failed,
		missingText(a.Missing), nodesText(a.Nodes))
	if a.Expected != a.Returned+a.Failed+len(a.Missing) {
		s.t.Errorf("the account of %s does not add up: %+v", a.JID, a)
	}
}

func (s *ledgerScenario) missing(jid string, m map[string]jobevent.Absence, n map[string]jobevent.NodeState) {
	s.say("missing %s %s nodes=%s", jid, missingText(m), nodesText(n))
}

func (s *ledgerScenario) findJob(jid string, ids []string) { s.say("find_job %s %v", jid, ids) }

func (s *ledgerScenario) rescued(jid, id, reason string, since time.Duration) {
	s.say("rescued %s %s: %s, after %v", jid, id, reason, since)
}

func missingText(m map[string]jobevent.Absence) string {
	var out []string
	for id, x := range m {
		out = append(out, fmt.Sprintf("%s(%s@%s)", id, x.Reason, x.Path))
	}
	sort.Strings(out)
	return "[" + strings.Join(out, " ") + "]"
}

func nodesText(m map[string]jobevent.NodeState) string {
	var out []string
	for path, x := range m {
		out = append(out, path+"="+string(x))
	}
	sort.Strings(out)
	return "[" + strings.Join(out, " ") + "]"
}

func (s *ledgerScenario) run(t *testing.T, d *datadriven.TestData) {
	vals := func(key string) []string {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				return a.Vals
			}
		}
		return nil
	}
	text := func(key string) string {
		if v := vals(key); len(v) > 0 {
			return v[0]
		}
		return ""
	}
	switch d.Cmd {
	case "open":
		j := jobOf(t, text, vals)
		j.Everyone, j.Queue, j.ByData = d.HasArg("everyone"), d.HasArg("queue"), d.HasArg("bydata")
		if err := s.ledger.openJob(j); err != nil {
			s.say("error: %v", err)
		}
	case "hold":
		s.say("known=%v", s.ledger.holdOpen(text("jid")))
	case "letclose":
		s.ledger.letClose(text("jid"))
	case "grow":
		j := jobOf(t, text, vals)
		s.ledger.holdOpen(j.JID)
		if known, reopened := s.ledger.growJob(j); !known || reopened {
			s.say("known=%v reopened=%v", known, reopened)
		}
	case "expect":
		s.ledger.expect(text("jid"), Expectation{
			Part: number(t, text("part")), Parts: number(t, text("parts")),
			Path: text("path"), Minions: vals("minions"), Asked: vals("asked"), Plain: d.HasArg("plain"),
			Untracked: d.HasArg("untracked"), Moved: d.HasArg("moved"), Partial: d.HasArg("partial"),
		})
	case "adopt":
		s.ledger.adopt(Job{JID: text("jid")}, text("id"))
	case "return":
		s.ledger.returned(text("jid"), text("id"), text("path"), !d.HasArg("fail"))
	case "gone":
		m, n := map[string]jobevent.Absence{}, map[string]jobevent.NodeState{}
		for _, id := range vals("ids") {
			m[id] = jobevent.Absence{Reason: NotConnected, Path: text("path")}
		}
		for _, path := range vals("nodes") {
			n[path] = jobevent.NodeUnreachable
		}
		s.ledger.reportGone(text("jid"), "", m, n)
	case "isnode":
		s.ledger.IsNode(text("jid"), text("id"))
	case "at":
		s.mu.Lock()
		s.at[text("id")] = text("path")
		s.mu.Unlock()
	case "declined":
		s.ledger.Declined(text("jid"), text("id"), vals("data")...)
	case "left":
		s.ledger.reportGone(text("jid"), "", map[string]jobevent.Absence{text("id"): {Reason: Unmatched, Path: text("path")}}, nil)
	case "found":
		s.ledger.found(text("jid"), text("id"), d.HasArg("running"))
	case "up":
		running := map[string]bool{}
		for _, jid := range vals("jobs") {
			running[jid] = true
		}
		s.ledger.minionUp(text("id"), running)
	case "down":
		s.ledger.minionDown(text("id"), 0)
	case "sure":
		s.mu.Lock()
		delete(s.again, text("id"))
		s.mu.Unlock()
	case "again":
		d, _ := time.ParseDuration(text("for")) // unset: 0
		s.mu.Lock()
		s.again[text("id")] = d
		s.mu.Unlock()
	case "stockup":
		s.ledger.stockUp(text("id"))
	case "stockdown":
		wait, err := time.ParseDuration(text("wait"))
		if err != nil {
			t.Fatal(err)
		}
		s.ledger.minionDown(text("id"), wait)
	case "nodeup":
		s.ledger.NodeUp(text("id"))
	case "nodedown":
		s.ledger.NodeDown(text("id"))
	case "wait":
		dur, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(dur) // the virtual clock of the bubble
	case "state":
		a, ok := s.ledger.State(text("jid"))
		s.say("known=%v open=%v expected=%d returned=%d failed=%d waiting=%d missing=%s nodes=%s", ok, a.Open(), a.Expected,
			a.Returned, a.Failed, len(a.Waiting), missingText(a.Missing), nodesText(a.Nodes))
	default:
		t.Fatalf("unknown command %q", d.Cmd)
	}
}

// number returns a number, or 0 if unset.
func number(t *testing.T, s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func jobOf(t *testing.T, text func(string) string, vals func(string) []string) Job {
	j := Job{JID: text("jid"), Unclaimed: vals("unclaimed")}
	j.Named, j.Part = number(t, text("named")), number(t, text("part"))
	if s := text("timeout"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		j.Timeout = d
	}
	for key, live := range map[string]Liveness{"minions": Up, "unsure": Up, "untracked": Untracked, "doubt": Untracked, "away": Away, "down": Down} {
		for _, id := range vals(key) {
			min := Minion{ID: id, Live: live, Doubt: key == "doubt", Unsure: key == "unsure"}
			if live == Away {
				min.Grace = 5 * time.Second
			}
			j.Minions = append(j.Minions, min)
		}
	}
	for key, live := range map[string]Liveness{"nodes": Up, "plain": Untracked, "downnodes": Down} {
		for _, v := range vals(key) {
			f := strings.Split(v, ":")
			known := map[string]string{}
			for _, id := range f[1:] {
				id, path, deeper := strings.Cut(id, "@")
				if !deeper {
					path = f[0]
				}
				known[id] = path
			}
			j.Nodes = append(j.Nodes, Node{ID: f[0], Live: live, Known: func() map[string]string { return known }})
		}
	}
	return j
}

// Jobs with answers are opened concurrently, as after a restart. Run it with -race.
func TestLedger_OpenedAtOnce(t *testing.T) {
	l := newLedger(AccountConfig{})
	defer l.close()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			spec := Job{JID: fmt.Sprint("j", i), Fun: "test.ping", Minions: []Minion{{ID: "a", Live: Up}, {ID: fmt.Sprint("m", i), Live: Up}}, Unclaimed: []string{"x"}, Answers: []Answer{{ID: fmt.Sprint("m", i), OK: true}}}
			if err := l.openJob(spec); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
