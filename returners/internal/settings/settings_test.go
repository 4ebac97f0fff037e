package settings

import (
	"strings"
	"testing"
	"time"
)

func TestReader(t *testing.T) {
	r := New(map[string]any{
		"db.host": "flat", "db": map[string]any{"host": "nested", "port": int64(7), "on": true, "deep": map[string]any{"er": "x"}},
		"db.pass": int64(123), "alt.db.host": "other", "alt": map[string]any{"db": map[string]any{"port": "9"}}, "db.none": "None",
	}, "")
	if r.Text("db.host", "") != "flat" || r.Number("db.port", 1) != 7 || r.Text("db.pass", "") != "123" || !r.Flag("db.on") || r.Flag("db.off") ||
		r.Text("db.none", "def") != "def" || r.Text("db.deep.er", "") != "x" || r.Err() != nil {
		t.Errorf("%+v, %v", r, r.Err())
	}
	if r.prefix = "alt"; r.Text("db.host", "") != "other" || r.Number("db.port", 1) != 9 || r.Text("db.pass", "") != "123" {
		t.Error("the prefix does not take precedence")
	}
	bad := New(map[string]any{"a": []any{}, "b": "x", "c": 1}, "")
	bad.Text("a", "")
	bad.Number("b", 0)
	bad.Flag("c")
	for _, want := range []string{"a must be a text", "b must be a number, is x", "c must be True or False, is 1"} {
		if err := bad.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		values map[string]any
		want   time.Duration
		fails  bool
	}{
		{nil, 24 * time.Hour, false},
		{map[string]any{"keep_jobs": int64(2)}, 2 * time.Hour, false},
		{map[string]any{"keep_jobs": int64(2), "keep_jobs_seconds": 1.5}, 1500 * time.Millisecond, false},
		{map[string]any{"keep_jobs_seconds": int64(0)}, 0, false},
		{map[string]any{"keep_jobs_seconds": "x"}, 24 * time.Hour, true},
		{map[string]any{"keep_jobs_seconds": -1}, 24 * time.Hour, true},
	} {
		r := New(c.values, "")
		if got := r.Keep(); got != c.want || (r.Err() != nil) != c.fails {
			t.Errorf("%v: %v, %v", c.values, got, r.Err())
		}
	}
}
