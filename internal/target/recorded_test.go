package target

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// judgeTarget compares Salt's answer with the result of this package for the same minions. open
// means that the result is unknown here because a bound was reached. refused is the error if
// the target is invalid here but matches somebody in Salt.
func judgeTarget(kind, tgt, said string, subjects []minion, groups map[string]any) (differs string, open bool, refused error) {
	if kind == "nodegroup" {
		with := map[string]any{"asked": tgt}
		for k, v := range groups {
			with[k] = v
		}
		tgt, groups = "asked", with
	}
	e, err := Parse(tgt, kind, Options{Nodegroups: groups})
	for i, m := range subjects {
		got := "0"
		if err == nil {
			switch e.Certain(m) {
			case Yes:
				got = "1"
			case Unknown:
				got = "t"
			case No:
			}
		}
		want := strings.ReplaceAll(said[i:i+1], "x", "0") // an error matches nothing
		switch {
		case got == want, want == "t": // Go's engine may not try all ways
		case got == "t":
			open = true
		case err != nil && want == "1":
			refused = err
		default:
			differs += fmt.Sprintf("on %s: %s, Salt says %s; ", m.id, got, want)
		}
	}
	return differs, open, refused
}

// knownRefusals are the reasons why targets are invalid here but match somebody in Salt, by
// kind. docs/reference/targets.md lists them.
var knownRefusals = map[string][]string{
	"grain_pcre": {`\N is not supported`, "possessive repetition of a group"},
	"pcre":       {`\N is not supported`, "possessive repetition of a group"},
	"compound": {
		"lacks the delimiter", "is no IP network", "is no IP address", "regular expression", "follows a target without and, or, not", "unknown node group",
		"node groups contain each other", "closes nothing", "is not closed", "has no target before it", "the compound target is empty",
	},
}

func knownRefusal(kind string, err error) bool {
	if kind == "nodegroup" {
		kind = "compound"
	}
	return slices.ContainsFunc(knownRefusals[kind], func(text string) bool { return strings.Contains(err.Error(), text) })
}

// TestAgreesWithSalt: 10,000 targets of each kind match the same minions as in Salt.
func TestAgreesWithSalt(t *testing.T) {
	subjects, groups := askedSubjects(t)
	for _, kind := range []string{"glob", "pcre", "list", "grain", "grain_pcre", "pillar", "pillar_pcre", "pillar_exact", "compound", "nodegroup", "ipcidr"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			n, refusals, spent := 0, 0, 0
			eachRecorded(t, kind, func(tgt, said string) {
				n++
				differs, open, refused := judgeTarget(kind, tgt, said, subjects, groups)
				if differs != "" {
					t.Errorf("%q: %s", tgt, differs)
				}
				if open {
					spent++
				}
				if refused == nil {
					return
				}
				if refusals++; !knownRefusal(kind, refused) {
					t.Errorf("%q means somebody in Salt: %v", tgt, refused)
				}
			})
			if spent > n/1000 || refusals > n/40 {
				t.Errorf("of %d targets %d are refused, and %d take too many steps", n, refusals, spent)
			}
			if n < 10_000 {
				t.Errorf("only %d targets", n)
			}
		})
	}
}

// eachRecorded reads testdata/salt/KIND.gz. It has two lines per target: the target as JSON,
// and a character of Salt's answer for each minion.
func eachRecorded(t *testing.T, kind string, fn func(tgt, said string)) {
	t.Helper()
	f, err := os.Open("testdata/salt/" + kind + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(z)
	for sc.Scan() {
		var tgt string
		if err := json.Unmarshal(sc.Bytes(), &tgt); err != nil || !sc.Scan() {
			t.Fatalf("%s: %v", sc.Bytes(), err)
		}
		fn(tgt, sc.Text())
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
}
