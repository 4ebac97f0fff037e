package access

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) {
	// The clock of the backtracking engine stops on its own shortly after the last expression.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

var quiet = slog.New(slog.DiscardHandler)

func TestRules(t *testing.T) {
	l := New(Options{
		ACL: map[string]any{"alice": []any{"test.ping"}, "al*": []any{"cmd.run"}, "none": []any{}}, Sudo: true, Log: quiet,
	})
	above := wire.NewMap("auth_list", []any{"x"})
	for _, c := range []struct {
		owner, name string
		extra       *wire.Map
		want        string // the rules, or "no"
	}{
		{"salt", "anybody", wire.NewMap(), ""},
		{"root", "anybody", wire.NewMap(), ""},
		{"salt", "anybody", above, "x"},
		{"root", "anybody", above, ""}, // not a node above
		{"salt", "sudo_alice", wire.NewMap(), "cmd.run test.ping"},
		{"salt", "sudo_bob", wire.NewMap(), "no"},
		{"alice", "alice", wire.NewMap(), "cmd.run test.ping"},
		{"alice", "alice", above, "cmd.run test.ping"},
		{"alan", "alan", wire.NewMap(), "cmd.run"},
		{"alice", "alan", wire.NewMap(), "no"},
		{"none", "none", wire.NewMap(), "no"},
		{"bob", "bob", wire.NewMap(), "no"},
	} {
		rules, ok := l.Rules(Sender{Owner: c.owner, Own: "salt", Name: c.name, Extra: c.extra})
		got := "no"
		if ok {
			got = strings.Join(wire.Texts(rules), " ")
		}
		if got != c.want {
			t.Errorf("%s as %s with %v: %q, want %q", c.owner, c.name, c.extra, got, c.want)
		}
	}
}

// here is the reach of a target that matches own minions only, by their ids.
func here(ids ...string) Reach {
	return Reach{Minions: ids, Subject: func(id string) target.Subject { return target.ID(id) }}
}

func TestJudge(t *testing.T) {
	groups := map[string]any{"web": "L@m1,m2"}
	strict, loose := New(Options{Log: quiet, Nodegroups: groups}), New(Options{Log: quiet, Nodegroups: groups, Start: true})
	rules := []any{
		"test.*", "[", // an invalid expression, which allows nothing
		map[string]any{"N@web": []any{map[string]any{"cmd.run": []any{
			map[string]any{"args": []any{"uptime", nil}, "kwargs": map[string]any{"cwd": "/tmp"}},
		}}}},
		"pkg.list",
	}
	in := wire.NewMap("cwd", "/tmp", "__kwarg__", true)
	inside := wire.NewMap("cwd", "/tmp/x", "__kwarg__", true)
	for _, c := range []struct {
		calls        []Call
		minions      []string
		want, starts bool // with whole matches, and at the beginning
	}{
		{[]Call{newCall("test.ping", nil)}, []string{"m9"}, true, true},
		{[]Call{newCall("test.ping", nil), newCall("cmd.run", nil)}, []string{"m1"}, false, false},
		{[]Call{newCall("cmd.run", []any{"uptime", "-p", in})}, []string{"m1", "m2"}, true, true},
		{[]Call{newCall("cmd.run", []any{"uptime", "-p", inside})}, []string{"m1", "m2"}, false, true},
		{[]Call{newCall("cmd.run", []any{"uptime; reboot", "-p", in})}, []string{"m1"}, false, true},
		{[]Call{newCall("cmd.run_all", []any{"uptime", "-p", in})}, []string{"m1"}, false, true},
		{[]Call{newCall("cmd.run", []any{"uptime", "-p", in})}, []string{"m1", "m3"}, false, false},
		{[]Call{newCall("cmd.run", []any{"uptime", "-p"})}, []string{"m1"}, false, false},
		{[]Call{newCall("cmd.run", []any{"uptime", in})}, []string{"m1"}, false, false},
		{[]Call{newCall("pkg.list", nil)}, []string{"m9"}, true, true},
		{[]Call{newCall("pkg.list_pkgs", nil)}, []string{"m9"}, false, true},
		{[]Call{newCall("saltutil.find_job", []any{"1"})}, []string{"m9"}, true, true},
		{[]Call{newCall("saltutil.find_job", []any{"1"}), newCall("cmd.run", nil)}, []string{"m9"}, false, false},
	} {
		if got := strict.Judge(rules, c.calls, here(c.minions...)); got.Allowed != c.want {
			t.Errorf("%v on %v: %+v", c.calls, c.minions, got)
		}
		if got := loose.Judge(rules, c.calls, here(c.minions...)); got.Allowed != c.starts {
			t.Errorf("by the beginning: %v on %v: %+v", c.calls, c.minions, got)
		}
		if !strict.Judge(nil, c.calls, here(c.minions...)).Allowed {
			t.Errorf("%v: without rules everything is allowed", c.calls)
		}
	}
}

// Node groups in rules are those of the master that has the rules: nodes below need not define
// them, and other groups of the same name have no effect.
func TestNodeGroupsInRules(t *testing.T) {
	var log bytes.Buffer
	funs := []any{"test.ping"}
	top := New(Options{
		ACL: map[string]any{"alice": []any{
			map[string]any{"N@web and not m2": funs}, map[string]any{"db*": funs}, map[string]any{"N@red": funs}, map[string]any{"N@none": funs},
		}},
		Nodegroups: map[string]any{"web": "L@m1,m2 or N@edge", "edge": "e*", "red": []any{"G@os:Red Hat"}},
		Log:        slog.New(slog.NewTextHandler(&log, nil)),
	})
	rules, ok := top.Rules(Sender{Owner: "alice", Own: "salt", Name: "alice", Extra: wire.NewMap()})
	if !ok {
		t.Fatal("alice has no rules")
	}
	for _, node := range []*List{
		top, New(Options{Log: quiet}), New(Options{Nodegroups: map[string]any{"web": "*", "edge": "*"}, Log: quiet}),
	} {
		for id, want := range map[string]bool{"m1": true, "m2": false, "e7": true, "db1": true, "x": false} {
			if got := node.Judge(rules, []Call{{Fun: "test.ping"}}, here(id)).Allowed; got != want {
				t.Errorf("%s: %v", id, got)
			}
		}
	}
	for _, want := range []string{"user=alice rule=3", "has a space", "user=alice rule=4", `unknown node group`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, &log)
		}
	}
	for _, good := range []string{"rule=1", "rule=2"} {
		if strings.Contains(log.String(), good) {
			t.Errorf("the log has %s: %s", good, &log)
		}
	}
}

func TestForbids(t *testing.T) {
	l := New(Options{Blacklist: map[string]any{"users": "eve", "modules": []any{"cmd.exec_*", 7}}, Log: quiet})
	for _, c := range []struct {
		user, fun string
		want      bool
	}{{"eve", "test.ping", true}, {"bob", "cmd.exec_code", true}, {"bob", "cmd.run", false}} {
		if got := l.Forbids(c.user, []Call{{Fun: "test.ping"}, {Fun: c.fun}}); got != c.want {
			t.Errorf("%s runs %s: %v", c.user, c.fun, got)
		}
	}
}

// The log names each invalid rule by its place.
func TestFaultsAreNamed(t *testing.T) {
	var b bytes.Buffer
	New(Options{
		ACL: map[string]any{"x": []any{"[", "ok", int64(7), map[string]any{"a": nil, "b": nil}, "@runner", map[string]any{"ldap(OU=x)": []any{"ok"}}}}, Log: slog.New(slog.NewTextHandler(&b, nil)),
	})
	for _, want := range []string{"user=x rule=1", "user=x rule=3", "user=x rule=4", "user=x rule=6"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not named in %s", want, &b)
		}
	}
	for _, good := range []string{"rule=2", "rule=5"} {
		if strings.Contains(b.String(), good) {
			t.Errorf("a good rule is named: %s", &b)
		}
	}
}

// Any load is parsed or refused.
func FuzzCalls(f *testing.F) {
	for _, v := range []any{"test.ping", []any{"a", "b"}, []any{1}, 5, []any{}} {
		fun, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(fun), []byte{0x91, 0x91, 0x01})
		f.Add([]byte(fun), []byte{0xc0})
	}
	f.Fuzz(func(t *testing.T, fun, arg []byte) {
		calls, err := Calls(wire.PublishLoad{Fun: fun, Arg: arg})
		if (err == nil) != (len(calls) > 0) {
			t.Errorf("%d calls, %v", len(calls), err)
		}
	})
}
