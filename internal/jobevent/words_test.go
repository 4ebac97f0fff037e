package jobevent

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

const job = "20240102030405678901"

// said is an event as a node sent it, from testdata/words.txt, which the master's test of the
// same reports has recorded.
type said struct {
	tag  string
	data wire.Raw
}

func golden(tb testing.TB) (out []said) {
	tb.Helper()
	b, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		data, err := strconv.Unquote(part[2])
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, said{part[1], wire.Raw(data)})
	}
	return out
}

// decode decodes a report of any kind.
func decode(tag string, data wire.Raw) (Word, error) {
	switch id, kind, _, _ := Parse(tag); kind {
	case KindExpectation:
		return DecodeExpectation(id, data)
	case KindNew:
		return DecodeNew(id, data)
	case KindMissing:
		return DecodeMissing(id, data)
	case KindComplete:
		return DecodeComplete(id, data)
	case KindClosed:
		d, err := wire.DecodeMap(data) // no decoder exists: only subscribers in the process use it
		return Closed{JID: id, Word: uint64(d.Int("word"))}, err
	}
	return nil, fmt.Errorf("%q is no word", tag)
}

// TestWordsStayAsTheyAre checks that every recorded report is unchanged to the byte after it is
// decoded and encoded.
func TestWordsStayAsTheyAre(t *testing.T) {
	kinds := map[string]int{}
	for _, s := range golden(t) {
		w, err := decode(s.tag, s.data)
		if err != nil {
			t.Fatalf("%s: %v", s.tag, err)
		}
		if tag, data := w.Encode(); tag != s.tag || string(data) != string(s.data) {
			t.Errorf("%s %q became\n%s %q", s.tag, s.data, tag, data)
		}
		if !strings.Contains(s.tag, w.Job()) {
			t.Errorf("%s is of job %s", s.tag, w.Job())
		}
		kinds[fmt.Sprintf("%T", w)]++
	}
	if len(kinds) != 5 {
		t.Errorf("there are %v", kinds)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		want Word
		tag  string
		data *wire.Map
	}{
		{
			Expectation{JID: job, Node: "n1", Minions: []string{"b", "a"}, Asked: []string{"n2"}, Unreachable: map[string]string{"a": "Not connected"}, Ours: true, Untracked: true, Moved: true, Partial: true},
			job, wire.NewMap("minions", []any{"b", "a"}, "jid", job, "mom", wire.NewMap("node", "n1", "asked", []any{"n2"},
				"unreachable", wire.NewMap("a", "Not connected"), "untracked", true, "moved", true, "partial", true)),
		},
		{
			Expectation{JID: job, Node: "n1/py", Minions: []string{"a"}, Ours: true, Plain: true},
			job, wire.NewMap("minions", []any{"a"}, "jid", job, "mom", wire.NewMap("plain", true, "node", "n1/py")),
		},
		{Expectation{JID: job, Minions: []string{"a"}}, job, wire.NewMap("minions", []any{"a"})},
		{
			New{JID: job, TgtType: "list", Tgt: []any{"a"}, Fun: "test.ping", Arg: []any{int64(1)}, User: "root", Minions: []string{"a"}, Missing: []string{}},
			"salt/job/" + job + "/new", wire.NewMap("jid", job, "tgt_type", "list", "tgt", []any{"a"}, "user", "root", "fun", "test.ping",
				"arg", []any{1}, "minions", []any{"a"}, "missing", []any{}),
		},
		{
			Missing{JID: job, Minions: map[string]Absence{"a": {"No response", "n2"}}, Nodes: map[string]NodeState{"": Refused("full")}, From: "n1"},
			"salt/job/" + job + "/missing", wire.NewMap("jid", job, "missing", []any{"a"}, "absent", wire.NewMap("a", wire.NewMap("reason", "No response", "path", "n2")),
				"nodes", wire.NewMap("", "refused: full"), "from", "n1"),
		},
		{
			Complete{JID: job, Fun: "test.ping", Expected: 3, Returned: 1, Failed: 1, Missing: map[string]Absence{"a": {"No response", ""}}, Reasons: map[string]int{"No response": 1}, Nodes: map[string]NodeState{"n1": NodeAnswered}, Took: 1500 * time.Millisecond},
			"salt/job/" + job + "/complete", wire.NewMap("jid", job, "fun", "test.ping", "expected", 3, "returned", 1, "failed", 1,
				"reasons", wire.NewMap("No response", 1),
				"missing", []any{"a"}, "absent", wire.NewMap("a", wire.NewMap("reason", "No response", "path", "")), "nodes", wire.NewMap("n1", "answered"), "seconds", 1.5),
		},
		{Closed{JID: job, Word: 1 << 40}, "salt/job/" + job + "/closed", wire.NewMap("jid", job, "word", 1<<40)},
	} {
		raw, err := wire.Encode(c.data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(c.tag, raw)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", c.tag, err, diff)
		}
		if tag, data := c.want.Encode(); tag != c.tag || string(data) != string(raw) {
			t.Errorf("%s %q, want\n%s %q", tag, data, c.tag, raw)
		}
	}
}

func TestWhatIsNoWord(t *testing.T) {
	for _, c := range []struct {
		tag  string
		data *wire.Map
	}{
		{"salt/job/" + job + "/missing", wire.NewMap("missing", wire.NewMap("a", 7))},
		{"salt/job/" + job + "/missing", wire.NewMap("missing", wire.NewMap(7, wire.NewMap("reason", "x")))},
		{"salt/job/" + job + "/complete", wire.NewMap("missing", wire.NewMap("a", "x"))},
		{"salt/job/" + job + "/complete", wire.NewMap("missing", []any{"a"}, "absent", wire.NewMap("a", "x"))},
	} {
		raw, err := wire.Encode(c.data)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := decode(c.tag, raw); err == nil {
			t.Errorf("%s %#v is %+v", c.tag, c.data, w)
		}
	}
	for _, kind := range []string{job, "salt/job/" + job + "/new", "salt/job/" + job + "/missing", "salt/job/" + job + "/complete", "salt/job/" + job + "/closed"} {
		if w, err := decode(kind, wire.Raw{0x90}); err == nil {
			t.Errorf("%s of a list is %+v", kind, w)
		}
	}
}

func TestUnder(t *testing.T) {
	for _, c := range []struct{ said, want Expectation }{
		{Expectation{Ours: true, Untracked: true, Moved: true}, Expectation{Node: "n1", Ours: true, Moved: true}},
		{Expectation{Ours: true, Node: "n2", Partial: true}, Expectation{Node: "n1/n2", Ours: true, Partial: true}},
		{Expectation{}, Expectation{Node: "n1", Ours: true, Plain: true}},
		{Expectation{Ours: true, Plain: true, Node: "py"}, Expectation{Node: "n1/py", Ours: true, Plain: true}},
	} {
		if diff := cmp.Diff(c.want, c.said.Under("n1")); diff != "" {
			t.Errorf("%+v: %s", c.said, diff)
		}
	}
	long := Missing{JID: job, Minions: map[string]Absence{"a": {"x", ""}, "b": {"y", "n2"}}, Nodes: map[string]NodeState{"": NodeSilent}, From: "n2"}
	want := Missing{JID: job, Minions: map[string]Absence{"a": {"x", "n1"}, "b": {"y", "n1/n2"}}, Nodes: map[string]NodeState{"n1": NodeSilent}, From: "n1"}
	if diff := cmp.Diff(want, long.Under("n1")); diff != "" {
		t.Error(diff)
	}
}

// A node may give a reason of any length; the stored text is bounded.
func TestStatesAreCut(t *testing.T) {
	m := Missing{JID: job, Nodes: map[string]NodeState{"": Refused(strings.Repeat("é", 1000)), "n2": Refused("short")}}
	_, data := m.Encode()
	got, err := DecodeMissing(job, data)
	if err != nil || len([]rune(got.Nodes[""])) != maxState || got.Nodes["n2"] != Refused("short") {
		t.Errorf("%v, %v", got.Nodes, err)
	}
}

func TestPieces(t *testing.T) {
	x := Expectation{
		JID: job, Node: "n1", Minions: []string{"c", "a", "b"}, Asked: []string{"n2"}, Ours: true,
		Unreachable: map[string]string{"a": "x", "e": "y", "d": "z"},
	}
	for n, want := range map[int][]Expectation{
		2: {
			{JID: job, Node: "n1", Minions: []string{"c", "a"}, Unreachable: map[string]string{"a": "x"}, Ours: true, Partial: true},
			{JID: job, Node: "n1", Minions: []string{"b"}, Unreachable: map[string]string{"d": "z"}, Ours: true, Partial: true},
			{JID: job, Node: "n1", Asked: []string{"n2"}, Unreachable: map[string]string{"e": "y"}, Ours: true},
		},
		5: {{JID: job, Node: "n1", Minions: []string{"c", "a", "b"}, Asked: []string{"n2"}, Unreachable: x.Unreachable, Ours: true}},
	} {
		if diff := cmp.Diff(want, slices.Collect(x.Pieces(n))); diff != "" {
			t.Errorf("of %d: %s", n, diff)
		}
	}
	guest := Expectation{Ours: true, Partial: true}
	if ps := slices.Collect(guest.Pieces(3)); len(ps) != 1 || !ps[0].Partial {
		t.Errorf("nobody: %+v", ps)
	}
	m := Missing{JID: job, Minions: map[string]Absence{"a": {}, "b": {}, "c": {}}, Nodes: map[string]NodeState{"n1": NodeSilent}}
	want := []Missing{
		{JID: job, Minions: map[string]Absence{"a": {}, "b": {}}},
		{JID: job, Minions: map[string]Absence{"c": {}}},
		{JID: job, Nodes: m.Nodes},
	}
	if diff := cmp.Diff(want, slices.Collect(m.Pieces(2))); diff != "" {
		t.Error(diff)
	}
}

func TestNodeStates(t *testing.T) {
	for s, failed := range map[NodeState]bool{
		NodeAsked: false, NodeAnswered: false, NodePlain: false, NodeSilent: true, NodeUnreachable: true, Refused("full"): true,
	} {
		if s.Failed() != failed {
			t.Errorf("%s failed: %v", s, s.Failed())
		}
	}
	if why, ok := Refused("full").Refused(); why != "full" || !ok {
		t.Error(why, ok)
	}
}
