package states

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// no_log hides comment and changes of a state, wherever they come from. The result still
// shows whether the state succeeded and whether something changed. The function does not
// get no_log as an argument.
func TestNoLog(t *testing.T) {
	for name, c := range map[string]struct {
		sls     string
		mock    bool
		changes bool
	}{
		"changes":       {sls: "a: {test.change: [{no_log: True}]}", changes: true},
		"strict":        {sls: "a: {test.strict: [{no_log: True}]}"},
		"failure":       {sls: "a: {test.bad: [{no_log: True}]}"},
		"parallel":      {sls: "a: {test.change: [{no_log: True}, {parallel: True}]}", changes: true},
		"retry":         {sls: "a: {test.bad: [{no_log: True}, {retry: {attempts: 2, interval: 0}}]}"},
		"watch":         {sls: "b: {test.change: []}\na: {test.good: [{no_log: True}, {watch: [{test: b}]}]}", changes: true},
		"mocked":        {sls: "a: {test.good: [{no_log: True}]}", mock: true},
		"text of truth": {sls: "a: {test.change: [{no_log: 'yes'}]}", changes: true},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := apply(t, tree{"base/a.sls": c.sls}, func(o *Options) { o.Mock = c.mock }, "a")
			res := result(t, out, "a")
			if text := res.String("comment"); strings.Contains(text, "ucc") || strings.Contains(text, "mocked") || !strings.Contains(text, "**********") {
				t.Errorf("comment %q", text)
			}
			if m := res.Map("changes"); m.Len() > 0 != c.changes || c.changes && m.String("a") == "b" {
				t.Errorf("changes %#v", m)
			}
		})
	}
	out, _ := apply(t, tree{"base/a.sls": "a: {test.change: [{no_log: False}]}"}, nil, "a")
	if res := result(t, out, "a"); res.String("comment") != "Success!" || res.Map("changes").String("a") != "b" {
		t.Errorf("%#v", value.Plain(res))
	}
}
