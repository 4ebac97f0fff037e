package target

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// minion is a Subject whose grains and pillar are the same data.
type minion struct {
	id   string
	data any
}

func (m minion) ID() string  { return m.id }
func (m minion) Grains() any { return m.data }
func (m minion) Pillar() any { return m.data }

// saltSubject returns the data and the node groups with which Salt's matchers were called.
func saltSubject(t testing.TB) (data map[string]any, groups map[string]any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/salt_subject.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Data, Nodegroups map[string]any }
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return integers(s.Data).(map[string]any), s.Nodegroups
}

// integers restores whole numbers, which JSON turns into floats.
func integers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = integers(v[k])
		}
	}
	return v
}

type saltRow struct {
	Kind  string `json:"k"`
	Tgt   any    `json:"tgt"`
	ID    string `json:"id"`
	Delim string `json:"delim"`
	Want  any    `json:"want"`
}

func saltRows(t testing.TB) []saltRow {
	t.Helper()
	f, err := os.Open("testdata/salt_matches.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []saltRow
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var r saltRow
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// testdata/salt_matches.jsonl has the answers of Salt's own matchers. An expression that is an
// error here matches nothing there.
func TestMatchesWhatSaltMatches(t *testing.T) {
	data, groups := saltSubject(t)
	rows := saltRows(t)
	if len(rows) < 2500 {
		t.Fatalf("only %d rows of test data", len(rows))
	}
	for _, r := range rows {
		if r.Kind == "expand" {
			words, _ := ExpandNodegroup(r.Tgt.(string), groups)
			got := make([]any, len(words))
			for i, w := range words {
				got[i] = w
			}
			if r.Tgt != "unk" && r.Tgt != "loop" && r.Tgt != "loop2" && !cmp.Equal(got, r.Want) {
				t.Errorf("node group %v: %v, Salt makes %v", r.Tgt, got, r.Want)
			}
			continue
		}
		e, err := Parse(r.Tgt, r.Kind, Options{Delimiter: r.Delim, Nodegroups: groups})
		got := err == nil && e.Match(minion{r.ID, data})
		if r.Tgt == "S@x or a" {
			if err == nil {
				t.Error("a wrong address was taken: Salt takes it for no match")
			}
			continue
		}
		if got != r.Want {
			t.Errorf("%s %q on %q: %v (%v), Salt says %v", r.Kind, r.Tgt, r.ID, got, err, r.Want)
		}
		if err == nil && (e.Certain(minion{r.ID, data}) == Yes) != got {
			t.Errorf("%s %q on %q: Certain differs from Match", r.Kind, r.Tgt, r.ID)
		}
	}
}
