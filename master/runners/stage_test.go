package runners

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a job store in memory.
type memory struct {
	loads   []returners.Load
	returns []returners.Return
	exps    []returners.Expectation
	err     error
}

func (m *memory) GetLoad(_ context.Context, jid string) (returners.Load, bool, error) {
	for _, l := range m.loads {
		if l.JID == jid {
			return l, true, m.err
		}
	}
	return returners.Load{}, false, m.err
}

func (m *memory) GetReturns(_ context.Context, jid string) (out []returners.Return, err error) {
	for _, r := range m.returns {
		if r.JID == jid {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b returners.Return) int { return strings.Compare(a.ID, b.ID) })
	return out, m.err
}

func (m *memory) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	all, err := m.GetReturns(ctx, jid)
	for _, r := range all {
		if r.ID == id {
			return r, true, err
		}
	}
	return returners.Return{}, false, err
}

func (m *memory) GetExpectations(_ context.Context, jid string) (out []returners.Expectation, err error) {
	for _, x := range m.exps {
		if x.JID == jid {
			out = append(out, x)
		}
	}
	return out, m.err
}

func (m *memory) ListJobs(_ context.Context, f returners.Filter) (out []returners.Load, err error) {
	for _, l := range m.loads {
		if f.Match(l) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b returners.Load) int { return strings.Compare(b.JID, a.JID) })
	if f.Limit > 0 {
		out = out[:min(f.Limit, len(out))]
	}
	return out, m.err
}

func (m *memory) GetFun(_ context.Context, fun string) (map[string]returners.Return, error) {
	out := map[string]returners.Return{}
	for _, r := range m.returns {
		if r.Fun == fun && r.JID > out[r.ID].JID {
			out[r.ID] = r
		}
	}
	return out, m.err
}

func (m *memory) Minions(context.Context) (out []string, err error) {
	for _, r := range m.returns {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return slices.Compact(out), m.err
}

// stage is the Env of a test.
type stage struct {
	store   memory
	ledger  map[string]engine.Account
	tree    topology.Node
	below   map[string]*wire.Map // answers of the lower nodes to jobs.active
	tops    map[string]*wire.Map // answers of the other tops
	answers Answers
	asked   []string
	keys    []string
	kept    kept
	dir     string // of the value banks
	endless bool   // a user can stop what listens
	err     error
}

func (s *stage) Jobs(_ context.Context, name string) (returners.Reader, error) {
	if name != "" && name != "local_cache" {
		return nil, fmt.Errorf("ext_source=%s: there is none", name)
	}
	return &s.store, nil
}

func (s *stage) State(jid string) (engine.Account, bool) {
	a, ok := s.ledger[jid]
	return a, ok
}

func (s *stage) ActiveBelow(context.Context) map[string]*wire.Map { return s.below }

func (s *stage) ActiveAtTops(context.Context) map[string]*wire.Map { return s.tops }

func (s *stage) Active() (out []string) {
	for id, a := range s.ledger {
		if a.Open() {
			out = append(out, id)
		}
	}
	return out
}

func (s *stage) Tree() topology.Node { return s.tree }

func (s *stage) Trace(_ context.Context, jid string) (trace.Step, error) {
	state := trace.Unknown
	if _, ok := s.State(jid); ok {
		state = trace.Open
	}
	return trace.Step{Node: "top", State: state}, nil
}

func (s *stage) Target(tgt any, tgtType string) (target.Expr, error) {
	return target.Parse(tgt, tgtType, target.Options{})
}

func (s *stage) Timeouts() (timeout, gather time.Duration) { return 5 * time.Second, 10 * time.Second }

func (s *stage) Ask(_ context.Context, q Question) (Answers, error) {
	asked := fmt.Sprintf("%s %v %s %v+%v", q.Fun, q.Tgt, q.TgtType, q.Timeout, q.Gather)
	if args := q.Arguments(); len(args) > 0 {
		asked += " " + pyfmt.Str(args)
	}
	if q.Long {
		asked += " to its end"
	}
	s.asked = append(s.asked, strings.TrimSpace(asked+" "+q.Ret))
	a := Answers{Returned: map[string]Answer{}, Missing: map[string]jobevent.Absence{}}
	ids, listed := q.Tgt.([]string)
	for id, v := range s.answers.Returned {
		if !listed || slices.Contains(ids, id) {
			a.Returned[id] = v
		}
	}
	for id, v := range s.answers.Missing {
		if !listed || slices.Contains(ids, id) {
			a.Missing[id] = v
		}
	}
	return a, s.err
}

func (s *stage) DeleteKey(id string) (bool, error) {
	i := slices.Index(s.keys, id)
	if i >= 0 {
		s.keys = slices.Delete(s.keys, i, i+1)
	}
	return i >= 0, nil
}

// TestRunners plays testdata/scenes/*:
//
//	load JID fun=F,F tgt=T[,T] [tgt_type= user= metadata=JSON]   with the arguments as JSON list below
//	expect JID [node=P] minions=A,B [missing=C:reason]
//	return JID id=A [retcode=N out=O via=P fun=F]                with the value as JSON below
//	open JID [waiting=A:path,B] ; close JID [missing=A:reason:path]
//	tree                                                         one node per line: "path state: minion=state=version …"
//	answer A=JSON … missing=B:reason                             what minions say when they are asked
//	key A …                                                      accepted keys of this master itself
//	keep A                                                       grains and pillar of a minion as JSON below
//	away NODE reason=R                                           a node that does not say what it keeps
//	endless                                                      who listens can be stopped
//	run                                                          a call as JSON list below: [function, arguments…, {keywords}], output by out=
func TestRunners(t *testing.T) {
	datadriven.Walk(t, "testdata/scenes", func(t *testing.T, path string) {
		s := &stage{ledger: map[string]engine.Account{}, kept: kept{minions: map[string]*wire.Map{}, away: map[string]string{}}, dir: t.TempDir()}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.play(t, d) })
	})
}

func (s *stage) play(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	arg := func(key, def string) string {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				return strings.Join(a.Vals, ",")
			}
		}
		return def
	}
	list := func(key string) (out []string) {
		for w := range strings.SplitSeq(arg(key, ""), ",") {
			if w != "" {
				out = append(out, w)
			}
		}
		return out
	}
	value := func(text, def string) any {
		if strings.TrimSpace(text) == "" {
			text = def
		}
		return decoded(t, text)
	}
	id := ""
	if len(d.CmdArgs) > 0 {
		id = d.CmdArgs[0].Key
	}
	switch d.Cmd {
	case "load":
		var fun any = arg("fun", "")
		if f := list("fun"); len(f) > 1 {
			fun = f
		}
		var tgt any = arg("tgt", "*")
		if arg("tgt_type", "") == "list" {
			tgt = list("tgt")
		}
		kw := wire.NewMap()
		if m := arg("metadata", ""); m != "" {
			kw.Set("metadata", decoded(t, m))
		}
		m := wire.NewMap("cmd", "publish", "fun", fun, "arg", value(d.Input, "[]"), "tgt", tgt, "tgt_type", arg("tgt_type", "glob"), "jid", id,
			"user", arg("user", "root"), "kwargs", kw)
		if min := list("minions"); len(min) > 0 {
			m.Set("minions", min)
		}
		at, _ := jid.Time(id)
		s.store.loads = append(s.store.loads, returners.Load{JID: id, Raw: encoded(t, m), User: "root", At: at})
	case "rawload": // a minion's own job: its return is its load
		s.store.loads = append(s.store.loads, returners.Load{JID: id, Raw: encoded(t, value(d.Input, "{}"))})
	case "expect":
		s.store.exps = append(s.store.exps, returners.Expectation{JID: id, Node: arg("node", ""), Minions: list("minions"), Missing: pairsOf(list("missing"))})
	case "return":
		var code int
		fmt.Sscan(arg("retcode", "0"), &code)
		s.store.returns = append(s.store.returns, returners.Return{
			JID: id, ID: arg("id", ""), Fun: arg("fun", "test.ping"), Retcode: code, Success: code == 0, Out: arg("out", ""),
			Via: arg("via", ""), Value: encoded(t, value(d.Input, "true")),
		})
	case "open":
		s.ledger[id] = engine.Account{JID: id, Waiting: pairsOf(list("waiting"))}
	case "close":
		a := engine.Account{JID: id, Closed: time.Unix(1, 0), Missing: map[string]jobevent.Absence{}}
		for m, rest := range pairsOf(list("missing")) {
			reason, path, _ := strings.Cut(rest, ":")
			a.Missing[m] = jobevent.Absence{Reason: reason, Path: path}
		}
		s.ledger[id] = a
	case "tree":
		s.tree = grown(t, d.Input)
	case "answer":
		s.answers = Answers{Returned: map[string]Answer{}, Missing: map[string]jobevent.Absence{}}
		for _, a := range d.CmdArgs {
			if a.Key == "missing" {
				for m, why := range pairsOf(a.Vals) {
					s.answers.Missing[m] = jobevent.Absence{Reason: why}
				}
				continue
			}
			s.answers.Returned[a.Key] = Answer{Value: decoded(t, strings.Join(a.Vals, ",")), OK: true}
		}
	case "key":
		for _, a := range d.CmdArgs {
			s.keys = append(s.keys, a.Key)
		}
	case "keep":
		m, ok := value(d.Input, "{}").(*wire.Map)
		if !ok {
			t.Fatalf("%s: no map", d.Pos)
		}
		s.kept.minions[id] = m
	case "away":
		s.kept.away[id] = strings.ReplaceAll(arg("reason", ""), "_", " ")
	case "keep-nothing":
		s.kept.off = true
	case "endless":
		s.endless = true
	case "run":
		return s.call(t, d.Input, arg("out", ""))
	default:
		t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	}
	return ""
}

func (s *stage) call(t *testing.T, text, out string) string {
	words, ok := decoded(t, text).([]any)
	if !ok || len(words) == 0 {
		t.Fatalf("%q is not a call", text)
	}
	s.asked = nil
	var progress strings.Builder
	q := Request{Fun: fmt.Sprint(words[0])}
	for _, w := range words[1:] {
		if m, ok := w.(*wire.Map); ok {
			q.Kwargs = m
			continue
		}
		q.Args = append(q.Args, w)
	}
	c := &Call{Bound: Bind(q), Env: s, JID: "20240101000000000023", Report: func(kind string, data *wire.Map) {
		fmt.Fprintf(&progress, "%s: %s%s\n", kind, data.String("message"), data.String("text"))
	}}
	v, err := Run(t.Context(), c)
	var b strings.Builder
	b.WriteString(progress.String())
	if v != nil {
		// The result must be encodable.
		w, err := wire.Decode(encoded(t, v))
		if err != nil {
			t.Fatal(err)
		}
		if err := output.Render(&b, out, w, output.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range s.asked {
		fmt.Fprintln(&b, "asked:", q)
	}
	if err != nil {
		fmt.Fprintln(&b, "error:", err)
	}
	return b.String()
}

// pairsOf reads "key:value" words.
func pairsOf(words []string) map[string]string {
	out := map[string]string{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, ":")
		out[k] = strings.ReplaceAll(v, "_", " ")
	}
	return out
}

// grown parses a tree in the drawing of the command tree.
func grown(t *testing.T, text string) topology.Node {
	top := topology.Node{ID: "top", State: topology.Up, Version: "v1.2.0"}
	for line := range strings.Lines(text) {
		head, minions, _ := strings.Cut(strings.TrimSpace(line), ":")
		f := strings.Fields(head)
		if len(f) != 2 {
			t.Fatalf("%q is not a node", line)
		}
		n := &top
		if f[0] != "top" {
			for id := range strings.SplitSeq(f[0], "/") {
				i := slices.IndexFunc(n.Nodes, func(c topology.Node) bool { return c.ID == id })
				if i < 0 {
					n.Nodes = append(n.Nodes, topology.Node{ID: id, State: topology.State(f[1])})
					i = len(n.Nodes) - 1
				}
				n = &n.Nodes[i]
			}
		}
		for _, m := range strings.Fields(minions) {
			p := strings.Split(m+"==", "=")
			n.Minions = append(n.Minions, topology.Minion{ID: p[0], State: topology.State(p[1]), Version: p[2]})
		}
	}
	return top
}

func encoded(t *testing.T, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	v, err := wire.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
