package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

// TestScenarios runs testdata/engine/*: each file is one node and its disk on a virtual clock.
// Each command prints its effects in order. Commands:
//
//	node [parent] [queue=N] [batch=N] [unreported=N]  starts the node; a previous run leaves only its disk
//	publish jid=J minions=(a,b) down=(c) nodes=(n) [early] [kept] [queued] [lost]   lost: the commit fails
//	        [part=N] [grows]           extends the job
//	        [running=(a)]              minions that announced the job when they connected
//	        [standby=2s]               another top publishes it
//	keep jid=J [queued] / published jid=J / drop jid=J
//	                                   a stored publication of a previous run, one that was sent, one that is dropped
//	return jid=J id=a [path=n] [fail] [lost]
//	expect path=n jid=J minions=(a,b) asked=(o) gone=(c) [moved] [partial] [python] [part=N] [parts=N]
//	miss path=n jid=J gone=(a) [refused=why]
//	adopt jid=J id=a
//	up id=a [jobs=(J)] / down id=a / nodeup id=n / nodedown id=n
//	overdue jid=J id=a reason=R
//	store [full] [never]               commits a batch of records; full: the disk is full, never: a permanent error
//	restore                            restores the jobs marked as open
//	again jid=J                        stores the end of a job again
//	known jid=J                        whether the job runs here
//	last jid=J                         the number of its last report, if it is closed
//	accepted jid=J number=N            the masters above have accepted all reports up to N
//	history jid=J n=N / jobs [after=J] what a parent that was away must receive
//	disk jid=J                         the stored state of a job
//	wait 5s
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/engine", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			s := &scenario{t: t, disk: memory.Open(time.Now)}
			defer func() { s.engine.Close() }()
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				s.run(d)
				synctest.Wait()
				s.engine.ledger.armed(t)
				return s.effects()
			})
		})
	})
}

type scenario struct {
	t      *testing.T
	disk   *memory.Store
	engine *Engine
	out    strings.Builder
}

func (s *scenario) print(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

func (s *scenario) run(d *datadriven.TestData) {
	a := args{s.t, d}
	switch d.Cmd {
	case "node":
		s.begin(a)
	case "publish":
		s.publish(a)
	case "return":
		s.returns(a)
	case "expect":
		x := jobevent.Expectation{
			JID: a.text("jid"), Node: a.text("at"), Ours: !a.has("python"), Minions: a.list("minions"), Asked: a.list("asked"),
			Unreachable: map[string]string{}, Moved: a.has("moved"), Partial: a.has("partial"), Part: a.number("part"), Parts: a.number("parts"),
		}
		for _, id := range a.list("gone") {
			x.Unreachable[id] = NotConnected
		}
		s.print("stored with %d", s.engine.ReceiveReports(a.text("path"), x))
	case "miss":
		w := jobevent.Missing{JID: a.text("jid"), Minions: map[string]jobevent.Absence{}, Nodes: map[string]jobevent.NodeState{}, From: a.text("from")}
		for _, id := range a.list("gone") {
			w.Minions[id] = jobevent.Absence{Reason: NotConnected, Path: a.text("at")}
		}
		for _, id := range a.list("cut") {
			w.Minions[id] = jobevent.Absence{Reason: NodeDown, Path: a.text("at")}
		}
		if why := a.text("refused"); why != "" {
			w.Nodes[""] = jobevent.Refused(why)
		}
		s.print("stored with %d", s.engine.ReceiveReports(a.text("path"), w))
	case "adopt":
		s.check(s.engine.Adopt(s.t.Context(), a.text("jid"), a.text("id")))
	case "up":
		running := map[string]bool{}
		for _, jid := range a.list("jobs") {
			running[jid] = true
		}
		s.engine.MinionUp(a.text("id"), running)
	case "down":
		s.engine.MinionDown(a.text("id"), 0)
	case "nodeup":
		s.engine.NodeUp(a.text("id"))
	case "nodedown":
		s.engine.NodeDown(a.text("id"))
	case "overdue":
		s.engine.Overdue(a.text("jid"), a.text("reason"), map[string]string{a.text("id"): ""})
	case "store":
		s.store(a)
	case "restore":
		for _, jid := range s.noted(returners.NoteOpen) {
			known, err := s.engine.Restore(s.t.Context(), jid, lost{})
			s.check(err)
			s.print("%s known %v", jid, known)
		}
	case "again":
		s.check(s.engine.EndAgain(s.t.Context(), a.text("jid"), lost{}))
	case "keep":
		s.engine.KeepPublication(a.part(), a.has("queued"))
	case "published":
		s.engine.Published(a.part())
	case "drop":
		s.engine.DropPublications(a.part())
	case "known":
		known, err := s.engine.Known(s.t.Context(), a.text("jid"))
		s.check(err)
		s.print("known %v", known)
	case "last":
		number, closed := s.engine.LastReport(a.text("jid"))
		s.print("last report %d closed %v", number, closed)
	case "accepted":
		s.engine.ReportsAccepted(a.text("jid"), uint64(a.number("number")))
	case "history":
		for w, err := range s.engine.History(s.t.Context(), a.text("jid"), a.number("n")) {
			s.check(err)
			s.print("%s", shownReport(w))
		}
	case "jobs":
		s.print("%v", s.engine.Jobs(a.text("after"), 100))
	case "disk":
		s.show(a.text("jid"))
	case "wait":
		wait, err := time.ParseDuration(d.CmdArgs[0].Key)
		s.check(err)
		time.Sleep(wait)
	default:
		s.t.Fatalf("%s: unknown command: %s", d.Pos, d.Cmd)
	}
}

func (s *scenario) check(err error) {
	if err != nil {
		s.print("error: %v", err)
	}
}

func (s *scenario) begin(a args) {
	if s.engine != nil {
		s.engine.Close()
	}
	s.engine = New(Config{
		Storage: s.disk, Parent: a.has("parent"), Bounds: bounds.Bounds{WordQueue: a.number("queue"), WordBatch: a.number("batch"), UnreportedJobs: a.number("unreported")}, Now: time.Now,
		Open: s.noted(returners.NoteOpen), Unreported: s.noted(returners.NoteUnreported),
	})
}

func (s *scenario) noted(kind string) (jids []string) {
	s.check(returners.EachNote(s.t.Context(), s.disk, kind, func(n returners.Note) { jids = append(jids, n.JID) }))
	return jids
}

func (s *scenario) publish(a args) {
	jid := a.text("jid")
	p := Publication{Spec: Job{JID: jid, Fun: "test.ping", Queue: a.has("queued")}, Early: a.has("early"), Load: returners.Load{JID: jid, Raw: wire.Raw{0x80}}, Grows: a.has("grows")}
	p.Runs = func(id string) bool { return slices.Contains(a.list("running"), id) }
	if wait := a.text("standby"); wait != "" {
		var err error
		p.Spec.StandBy, err = time.ParseDuration(wait)
		s.check(err)
	}
	if p.Spec.Part = a.number("part"); p.Spec.Part > 0 {
		var err error
		p.Load.Raw, err = wire.Encode(wire.NewMap("kwargs", wire.NewMap(returners.PartField, p.Spec.Part)))
		s.check(err)
	}
	for live, name := range map[Liveness]string{Up: "minions", Down: "down"} {
		for _, id := range a.list(name) {
			p.Spec.Minions = append(p.Spec.Minions, Minion{ID: id, Live: live})
			p.Minions = append(p.Minions, id)
		}
	}
	slices.Sort(p.Minions)
	if a.has("kept") {
		p.Kept = []byte("publication")
	}
	for _, id := range a.list("nodes") {
		p.Spec.Nodes = append(p.Spec.Nodes, Node{ID: id, Live: Up})
	}
	b, known, err := s.engine.Publish(s.t.Context(), p)
	s.check(err)
	if err == nil && !known {
		s.commit(b, a.failure())
	}
}

func (s *scenario) returns(a args) {
	r := returners.Return{JID: a.text("jid"), ID: a.text("id"), Via: a.text("path"), Success: !a.has("fail"), Full: wire.Raw{0x80}}
	s.commit(s.engine.Returns([]returners.Return{r}, nil), a.failure())
}

func (s *scenario) store(a args) {
	b, some := s.engine.NextSave()
	if !some {
		s.print("nothing to store")
		return
	}
	if b.Batch.Unsynced {
		s.print("not synced")
	}
	for _, x := range b.Batch.Expectations {
		s.print("row %s", row(x))
	}
	for _, n := range b.Batch.Notes {
		s.print("note %s %s gone %v", strings.TrimSpace(n.Kind+" "+n.Key), n.JID, n.Gone)
	}
	s.commit(b, a.failure())
}

func (s *scenario) commit(b Save, failure error) {
	if failure != nil {
		s.print("not stored: %v", failure)
		s.engine.Saved(b, returners.Result{}, failure)
		return
	}
	res, err := s.disk.Commit(s.t.Context(), b.Batch)
	s.check(err)
	s.engine.Saved(b, res, err)
}

func (s *scenario) show(jid string) {
	xs, err := s.disk.GetExpectations(s.t.Context(), jid)
	s.check(err)
	for _, x := range xs {
		s.print("row %s", row(x))
	}
	rets, err := s.disk.Outcomes(s.t.Context(), jid)
	s.check(err)
	for _, r := range rets {
		s.print("return %s via %q ok %v", r.ID, r.Via, r.OK)
	}
	for _, kind := range []string{returners.NoteOpen, returners.NoteUnreported, returners.NotePublication} {
		if slices.Contains(s.noted(kind), jid) {
			s.print("note %s", kind)
		}
	}
}

// lost is the presence after a restart: no peer has come back yet.
type lost struct{}

func (lost) Grace(string) (Liveness, time.Duration) { return Away, 0 }

func (lost) Spec(load returners.Load, minions []string) Job {
	j := Job{JID: load.JID}
	for _, id := range minions {
		j.Minions = append(j.Minions, Minion{ID: id, Live: Away, Grace: 5 * time.Second})
	}
	return j
}

func (s *scenario) effects() string {
	for _, e := range s.engine.Ready() {
		s.print("%s", shown(e))
	}
	out := s.out.String()
	s.out.Reset()
	if out == "" {
		return "ok\n"
	}
	return out
}

func shown(e Effect) string {
	switch e := e.(type) {
	case SendReport:
		if e.From != "" {
			return fmt.Sprintf("report %s from %s", shownReport(e.Word), e.From)
		}
		return "report " + shownReport(e.Word)
	case NewReturn:
		return fmt.Sprintf("new return %s %s", e.Return.JID, e.Return.ID)
	case Complete:
		a := e.Account
		return fmt.Sprintf("complete %s expected %d returned %d failed %d missing %v", a.JID, a.Expected, a.Returned, a.Failed, slices.Sorted(maps.Keys(a.Missing)))
	case Missed:
		return fmt.Sprintf("missed %s %v nodes %v", e.JID, slices.Sorted(maps.Keys(e.Minions)), e.Nodes)
	case Started:
		return "started " + e.JID
	case Publish:
		if e.Early {
			return "publish " + e.JID + " early"
		}
		return "publish " + e.JID
	case Skip:
		return "skip " + e.JID
	case TakeOver:
		return fmt.Sprintf("take over %s at %v", e.JID, e.Nodes)
	case Ended:
		return "ended " + e.JID
	case EndNotStored:
		return fmt.Sprintf("end not stored %s again %t: %v", e.JID, e.Again, e.Err)
	case Stored:
		if e.Err != nil {
			return fmt.Sprintf("not stored up to %d: %v", e.UpTo, e.Err)
		}
		return fmt.Sprintf("stored up to %d", e.UpTo)
	}
	return fmt.Sprintf("%T%+v", e, e)
}

// shownReport omits the parts of a job that has not grown.
func shownReport(w jobevent.Word) string {
	return strings.Replace(fmt.Sprintf("%T%+v", w, w), " Part:0 Parts:0}", "}", 1)
}

func row(x returners.Expectation) string {
	return fmt.Sprintf("%s at %q minions %v missing %v state %q", x.JID, x.Node, x.Minions, x.Missing, x.State)
}

type args struct {
	t *testing.T
	d *datadriven.TestData
}

func (a args) has(key string) bool { return a.d.HasArg(key) }

func (a args) list(key string) []string {
	for _, arg := range a.d.CmdArgs {
		if arg.Key == key {
			return slices.DeleteFunc(slices.Clone(arg.Vals), func(v string) bool { return v == "" })
		}
	}
	return nil
}

func (a args) text(key string) string {
	if v := a.list(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

func (a args) part() returners.Part { return returners.Part{JID: a.text("jid"), N: a.number("part")} }

func (a args) number(key string) int {
	n := 0
	if v := a.text(key); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			a.t.Fatalf("%s: %s: %v", a.d.Pos, key, err)
		}
	}
	return n
}

// failure returns the error of a commit.
func (a args) failure() error {
	switch {
	case a.has("full"), a.has("lost"):
		return returners.ErrFull
	case a.has("never"):
		return returners.ErrInvalid
	}
	return nil
}
