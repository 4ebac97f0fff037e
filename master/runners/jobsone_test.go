package runners

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// The runners can report a single minion of a large job without reading the returns of the others.
func TestOneMinionOfAJob(t *testing.T) {
	const jid = "20260101000000000001"
	yes, err := wire.Encode(true)
	if err != nil {
		t.Fatal(err)
	}
	load, err := wire.Encode(wire.NewMap("fun", "test.ping", "tgt", "*", "tgt_type", "glob", "jid", jid))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{store: memory{
		loads: []returners.Load{{JID: jid, Raw: load}},
		returns: []returners.Return{
			{JID: jid, ID: "web-01", Fun: "test.ping", Value: yes, Success: true},
			{JID: jid, ID: "web-02", Fun: "test.ping", Value: yes, Success: true},
		},
		exps: []returners.Expectation{{JID: jid, Node: "syndic-a", Minions: []string{"web-01", "web-02"}, Missing: map[string]string{"web-03": "Not connected", "web-04": "Not connected"}}},
	}}
	ask := func(id string) *wire.Map {
		t.Helper()
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "jobs.list_job", Args: []any{jid}, Kwargs: wire.NewMap("id", id)}), Env: s})
		if err != nil {
			t.Fatal(err)
		}
		return v.(*wire.Map)
	}
	got := ask("web-02")
	if r := got.Map("Result"); r.Len() != 1 || !r.Map("web-02").Bool("return") || got.Map("Missing").Len() != 0 || got.Map("Paths").Len() != 1 || len(got.Strings("Minions")) != 1 || got.String("Function") != "test.ping" {
		t.Errorf("%#v", got)
	}
	if got = ask("web-03"); got.Map("Result").Len() != 0 || got.Map("Missing").String("web-03") != "Not connected" || got.Map("Missing").Len() != 1 {
		t.Errorf("%#v", got)
	}
	if got = ask("db-01"); got.Map("Result").Len() != 0 || got.Map("Missing").Len() != 0 || len(got.Strings("Minions")) != 0 {
		t.Errorf("%#v", got)
	}
}

// The list of a job that grew names every minion that had to answer, although this master missed the part that
// named it. A list of one publication is shown as it was typed.
func TestListOfAJobThatGrew(t *testing.T) {
	const jid = "20260101000000000001"
	for part, want := range map[int]string{2: "web-02 web-01 web-03", 0: "web-02 web-01"} {
		kwargs := wire.NewMap()
		if part > 0 {
			kwargs.Set(returners.PartField, part)
		}
		load, err := wire.Encode(wire.NewMap("fun", "test.ping", "tgt", []any{"web-02", "web-01"}, "tgt_type", "list", "jid", jid, "kwargs", kwargs))
		if err != nil {
			t.Fatal(err)
		}
		s := &stage{store: memory{
			loads: []returners.Load{{JID: jid, Raw: load}},
			exps:  []returners.Expectation{{JID: jid, Node: "a", Minions: []string{"web-01", "web-03"}}, {JID: jid, Node: "b", Minions: []string{"web-02"}}},
		}}
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "jobs.list_job", Args: []any{jid}}), Env: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(wire.Texts(v.(*wire.Map).List("Target")), " "); got != want {
			t.Errorf("part %d: %s, want %s", part, got, want)
		}
	}
}
