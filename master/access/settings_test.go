package access

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// Returners and executors need rules of their own; a name alone allows no options.
func TestSettings(t *testing.T) {
	named := func(word string, rules ...any) map[string]any { return map[string]any{word: rules} }
	file := map[string]any{"rawfile_json": []any{map[string]any{"kwargs": map[string]any{"filename": "/var/log/.*", "ret_config": nil}}}}
	for _, c := range []struct {
		rules []any
		ret   string
		extra *wire.Map
		want  string // why not; "": allowed
	}{
		{[]any{".*"}, "", kw("metadata", kw("a", 1)), ""},
		{[]any{".*"}, "", kw("ret_kwargs", kw(), "ret_config", "", "module_executors", []any{}, "executor_opts", nil), ""},
		{[]any{".*", "@runner", "@wheel", "@events"}, "mysql", kw(), "no rule allows returner mysql"},
		{[]any{"@returners"}, "mysql,x", kw("ret_config", "other", "ret_kwargs", kw("a", 1)), ""},
		{[]any{named("@returners", "mysql")}, "mysql", kw(), ""},
		{[]any{named("@returners", "mysql")}, "mysql_x", kw(), "returner mysql_x"},
		{[]any{named("@returners", "mysql")}, "mysql,,redis", kw(), "returner redis"},
		{[]any{named("@returners", "mysql")}, "mysql", kw("ret_config", "other"), "returner mysql"},
		{[]any{named("@returners", "mysql")}, "mysql", kw("ret_kwargs", kw("host", "evil")), "returner mysql"},
		{[]any{named("@returners", "mysql")}, "", kw("ret_kwargs", kw("host", "evil")), "options of the minions' own returners"},
		{[]any{named("@returners", file)}, "rawfile_json", kw("ret_kwargs", kw("filename", "/var/log/x")), ""},
		{[]any{named("@returners", file)}, "rawfile_json", kw("ret_config", "a"), ""},
		{[]any{named("@returners", file)}, "rawfile_json", kw("ret_kwargs", kw("filename", "/etc/cron.d/x")), "returner rawfile_json"},
		{[]any{named("@returners", file)}, "rawfile_json", kw("ret_kwargs", kw("filename", "/var/log/x", "host", "h")), "returner rawfile_json"},
		{[]any{named("@returners", "mysql")}, "", kw("module_executors", []any{"sudo"}), "executor sudo"},
		{[]any{named("@executors", "sudo")}, "", kw("module_executors", []any{"sudo", "docker"}), "executor docker"},
		{[]any{named("@executors", "sudo")}, "", kw("module_executors", []any{"sudo"}), ""},
		{[]any{named("@executors", "sudo")}, "", kw("executor_opts", kw("a", 1)), "options of the minions' own executors"},
		{[]any{"@executors"}, "", kw("executor_opts", kw("a", 1)), ""},
		{[]any{"@executors"}, "", kw("module_executors", "sudo"), "module_executors is not a list of names"},
		{[]any{"@executors"}, "", kw("module_executors", []any{"sudo", 7}), "module_executors is not a list of names"},
		{[]any{"@returners"}, "x", kw("ret_kwargs", "x"), "ret_kwargs is not a mapping"},
		{[]any{"@returners"}, "x", kw("ret_config", "a", "ret_kwargs", kw("ret_config", "b")), "ret_config is also in ret_kwargs"},
		{[]any{named("@returners", map[string]any{"mysql": []any{map[string]any{"args": []any{"x"}}}})}, "mysql", kw(), "returner mysql"},
	} {
		raw, err := wire.Encode(c.extra)
		if err != nil {
			t.Fatal(err)
		}
		s, err := SettingsOf(wire.PublishLoad{Ret: c.ret, Kwargs: raw})
		if err != nil {
			t.Fatal(err)
		}
		v := New(Options{Log: quiet}).JudgeSettings(c.rules, s)
		if v.Allowed != (c.want == "") || !v.Allowed && !strings.Contains(v.String(), c.want) {
			t.Errorf("%s %v by %v: %v", c.ret, c.extra, c.rules, v)
		}
		if !New(Options{Log: quiet, Open: true}).JudgeSettings(c.rules, s).Allowed {
			t.Errorf("acl_returners: open refuses %v", c)
		}
		if !New(Options{Log: quiet}).JudgeSettings(nil, s).Allowed {
			t.Errorf("without rules: %v", c)
		}
	}
}

// A job is judged with its settings, by the rules of a login and by those that a master above sent
// with it.
func TestPermitJudgesSettings(t *testing.T) {
	c := newControl(t, nil)
	raw, err := wire.Encode(kw("auth_list", []any{"test.ping"}))
	if err != nil {
		t.Fatal(err)
	}
	calls := []Call{{Fun: "test.ping"}}
	for ret, want := range map[string]bool{"": true, "mysql": false} {
		p := wire.PublishLoad{Ret: ret, Kwargs: raw}
		login, err := c.AdmitUser(p, "fred", []any{"test.ping"}, calls)
		if err != nil {
			t.Fatal(err)
		}
		above, err := c.Admit(p, By{Owner: c.Own}, calls)
		if err != nil {
			t.Fatal(err)
		}
		if login.Covers(nil) != want || above.Covers(nil) != want {
			t.Errorf("returner %q: login %v, from above %v", ret, login.Covers(nil), above.Covers(nil))
		}
	}
}
