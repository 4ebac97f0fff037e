package states

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// ignoredBySalt are the forms that Salt 3006 ignores silently, so that the state runs
// without its requisite. They are errors here, as most of them are in Salt 3008.
func ignoredBySalt(requisite, val string) bool {
	switch {
	case requisite == "listen":
		return slices.Contains([]string{"{test: ok}", "ok", "{test: [ok]}", "[5]", "[~]", "[[test, ok]]", "[{}]", "[{test: {a: b}}]", "[{test: [ok]}]"}, val)
	case requisite == "listen_in":
		return val == "[{}]"
	case slices.Contains(turnedRound, requisite):
		return slices.Contains([]string{"ok", "5", "true", "[5]", "[~]", "[{}]"}, val)
	}
	return false
}

// TestFormsOfRequisites compares each requisite in 20 forms with Salt 3006.27: where Salt
// ends with a traceback, or ignores the requisite, an error is expected here.
func TestFormsOfRequisites(t *testing.T) {
	data, err := os.ReadFile("testdata/requisites.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Requisite, Value, Crash string
		Errors                  []string
		Results                 [][2]any
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 400 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Requisite+": "+c.Value, func(t *testing.T) {
			// succeed_without_changes and succeed_with_changes of Salt's test module have
			// other names here.
			sls := fmt.Sprintf("ok:\n  test.good: []\nrescue:\n  test.change:\n  - %s: %s\n", c.Requisite, c.Value)
			r, _ := newRun(t, tree{"base/case.sls": sls}, nil)
			out, err := r.SLS(t.Context(), []string{"case"}, nil)
			switch {
			case c.Crash != "" && !strings.HasPrefix(c.Crash, "SaltRenderError") || ignoredBySalt(c.Requisite, c.Value):
				refused := err != nil || len(out.Errors) > 0 || slices.ContainsFunc(results(out), func(r [2]any) bool { return r[0] == false })
				if !refused && c.Value != "[{test: ~}]" { // it names nothing, and is ignored in Salt 3008
					t.Errorf("Salt: %s; here the state ran: %v", c.Crash, results(out))
				}
			case c.Crash != "":
				if err == nil || !strings.HasSuffix(c.Crash, err.Error()) {
					t.Errorf("want %s, got %v", c.Crash, err)
				}
			case err != nil:
				t.Error(err)
			default:
				if d := cmp.Diff(c.Errors, out.Errors); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(c.Results, results(out)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// results returns result and comment of each state in running order.
func results(out Outcome) (all [][2]any) {
	out.Results.Range(func(_, v any) bool {
		m := v.(*value.Map)
		res, _ := m.Get("result")
		all = append(all, [2]any{res, m.String("comment")})
		return true
	})
	return all
}
