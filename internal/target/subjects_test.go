package target

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// asked has the minions and node groups with which Salt was called.
type asked struct {
	Minions []struct {
		ID   string
		Data map[string]any
	}
	Groups map[string]any
}

func askedSubjects(t testing.TB) (subjects []minion, groups map[string]any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/salt/minions.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var a asked
	if err := dec.Decode(&a); err != nil {
		t.Fatal(err)
	}
	for _, m := range a.Minions {
		subjects = append(subjects, minion{m.ID, numbers(m.Data)})
	}
	return subjects, a.Groups
}

// numbers converts numbers to the types of decoded messages.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if strings.ContainsAny(v.String(), ".e") {
			f, _ := v.Float64()
			return f
		}
		var u uint64
		_ = json.Unmarshal([]byte(v), &u)
		return u
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}
