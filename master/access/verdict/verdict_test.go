package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

var refused = Verdict{Calls: []Call{
	{Fun: "saltutil.find_job", Allowed: true, Reason: "all may"},
	{Fun: "test.ping", Rules: []Rule{
		{Place: "publisher_acl, fred, rule 1", Text: `"cmd.run"`, Why: "it is for other functions"},
		{Text: `{"web*": ["test.*"]}`, Tiers: []Tier{
			{Allowed: true, Meant: 2},
			{Path: "syndic-a", Outside: []string{"db1", "db2"}, OutsideAll: 7, Open: 1, Meant: 9},
			{Path: "syndic-a/syndic-b", Allowed: true, Open: 3, Meant: 3},
			{Path: "syndic-p", Blind: true},
		}},
	}},
}}

func TestDraw(t *testing.T) {
	const want = `REFUSED
saltutil.find_job: allowed: all may
test.ping: refused
    publisher_acl, fred, rule 1, "cmd.run", does not allow it: it is for other functions
    rule, {"web*": ["test.*"]}, does not allow it
        this master: the rule means all 2 minions that the target means
        syndic-a: db1, db2 and 5 more are meant by the target and not, or not certainly, by the rule; 1 of 9 judged there, where grains and pillar are known
        syndic-a/syndic-b: 3 of 3 judged there, where grains and pillar are known
        syndic-p: does not report its minions, and the target may have minions outside the rule; write both, joined by and
`
	var b strings.Builder
	if err := Draw(&b, refused); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for n, want := range []string{"ALLOWED\n", "ALLOWED here; 1 minion is judged by its node\n", "ALLOWED here; 2 minions are judged by their nodes\n"} {
		rules := []Rule{{Tiers: []Tier{{Open: 7}}}, {Allowed: true, Tiers: []Tier{{Open: n}}}}
		b.Reset()
		if err := Draw(&b, Verdict{Allowed: true, Calls: []Call{{Rules: rules}}}); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("%d: %s %v", n, b.String(), err)
		}
	}
	if got := refused.String(); !strings.HasPrefix(got, "no rule allows test.ping there: db1, db2 and 5 more are meant") {
		t.Error(got)
	}
	for v, want := range map[string]Verdict{
		"allowed":          {Allowed: true},
		"why":              {Reason: "why"},
		"no rule allows f": {Calls: []Call{{Fun: "f", Rules: []Rule{{Why: "x"}}}}},
	} {
		if got := want.String(); got != v {
			t.Errorf("%q, want %q", got, v)
		}
	}
}

func TestMap(t *testing.T) {
	for _, v := range []Verdict{refused, {Allowed: true, Reason: "root"}} {
		raw, err := wire.Encode(v.Map())
		if err != nil {
			t.Fatal(err)
		}
		m, err := wire.DecodeMap(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, FromMap(m), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-sent +got)\n%s", diff)
		}
	}
}

// Any input is decoded and drawn.
func FuzzFromMap(f *testing.F) {
	for _, m := range []*value.Map{refused.Map(), value.NewMap("calls", []any{1, value.NewMap("rules", "x")})} {
		raw, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := wire.DecodeMap(raw)
		if err != nil {
			return
		}
		var b strings.Builder
		if v := FromMap(m); Draw(&b, v) != nil || v.Allowed != m.Bool("allowed") {
			t.Errorf("%+v", v)
		}
	})
}
