package master

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// yamlList returns a list as a configuration file holds it.
func yamlList(vs ...any) []any { return vs }

// The access rules for publishing (Salt wire reference §10.1, §12.1, §12.2).
func TestAccess(t *testing.T) {
	acl := map[string]any{
		"alice": yamlList("test.ping", `state\.`),
		"web-*": yamlList(map[string]any{"m1": yamlList("test.*", "cmd.run")}),
		"carol": yamlList(map[string]any{"L@m1,m2 and not m2": yamlList(map[string]any{"cmd.run": yamlList(
			map[string]any{"args": yamlList("uptime", nil), "kwargs": map[string]any{"cwd": "/tmp"}},
		)})}),
		"dora":    yamlList(map[string]any{"G@os:Debian": yamlList("test.ping")}),
		"eve":     yamlList("test.ping"),
		"nothing": yamlList(),
		"broken":  yamlList("[", map[string]any{"m1": yamlList("[")}, map[string]any{"a": nil, "b": nil}, int64(7)),
	}
	r := newRig(t, func(c *config.Master) {
		c.PublisherAcl, c.AclMatch = acl, config.AclMatchStart // as Salt matches
		c.PublisherAclBlacklist = map[string]any{"users": yamlList("eve", "sudo_mal.*"), "modules": yamlList("cmd.exec_*", `ssh\..*`)}
	})
	r.accept("m1", "minion")
	r.accept("m2", "master")
	r.start()
	r.access.Users = access.Users{"root": rootKey}
	for _, u := range []string{"alice", "web-1", "carol", "dora", "eve", "nothing", "broken", "nobody"} {
		r.access.Users[u] = "key of " + u
	}
	kwarg := func(kv ...any) *wire.Map { return wire.NewMap(append(kv, "__kwarg__", true)...) }
	const ok, no, denied = "", "AuthenticationError", "AuthorizationError"
	for _, c := range []struct {
		user, key string
		tgt, fun  any
		arg       []any
		want      string
	}{
		{"root", rootKey, "*", "cmd.run", nil, ok},
		{"root", "key of alice", "*", "test.ping", nil, no},
		{"root", "", "*", "test.ping", nil, no},
		{"someone", rootKey, "*", "cmd.run", nil, ok},
		{"sudo_bob", rootKey, "*", "cmd.run", nil, ok},
		{"sudo_alice", "key of alice", "*", "test.ping", nil, no},

		{"alice", "key of alice", "*", "test.ping", nil, ok},
		{"alice", "key of alice", "*", "test.pingpong", nil, ok}, // anchored at the start only
		{"alice", "key of alice", "*", "xtest.ping", nil, denied},
		{"alice", "key of alice", "*", "state.apply", nil, ok},
		{"alice", "key of alice", "*", "statex.apply", nil, denied},
		{"alice", "key of alice", "*", "cmd.run", nil, denied},
		{"alice", "key of alice", "*", "saltutil.find_job", nil, ok},
		{"alice", "key of alice", "*", []any{"test.ping", "state.apply"}, []any{[]any{}, []any{}}, ok},
		{"alice", "key of alice", "*", []any{"test.ping", "cmd.run"}, []any{[]any{}, []any{"id"}}, denied},
		{"alice", "key of alice", "*", []any{"saltutil.find_job", "cmd.run"}, []any{[]any{"1"}, []any{"id"}}, denied},
		{"alice", "key of eve", "*", "test.ping", nil, no},
		{"alice", "no key", "*", "test.ping", nil, no},

		{"web-1", "key of web-1", "m1", "cmd.run", nil, ok},
		{"web-1", "key of web-1", "m2", "cmd.run", nil, denied},
		{"web-1", "key of web-1", "*", "cmd.run", nil, denied}, // every minion must be allowed

		{"carol", "key of carol", "m1", "cmd.run", []any{"uptime", "-p", kwarg("cwd", "/tmp/x")}, ok},
		{"carol", "key of carol", "m1", "cmd.run", []any{"uptime", "-p"}, denied},
		{"carol", "key of carol", "m1", "cmd.run", []any{"uptime", kwarg("cwd", "/tmp")}, denied},
		{"carol", "key of carol", "m1", "cmd.run", []any{"rm", "-p", kwarg("cwd", "/tmp")}, denied},
		{"carol", "key of carol", "m1", "cmd.run", []any{"uptime", "-p", kwarg("cwd", "/")}, denied},
		{"carol", "key of carol", "m2", "cmd.run", []any{"uptime", "-p", kwarg("cwd", "/tmp")}, denied},

		{"dora", "key of dora", "m1", "test.ping", nil, denied}, // m1's grains are unknown
		{"eve", "key of eve", "*", "test.ping", nil, denied},
		{"sudo_mallory", rootKey, "*", "test.ping", nil, denied},
		{"root", rootKey, "*", "cmd.exec_code", nil, denied},
		{"root", rootKey, "*", []any{"test.ping", "ssh.keys"}, []any{[]any{}, []any{}}, denied},
		{"root", rootKey, "*", "xssh.keys", nil, ok},
		{"nothing", "key of nothing", "*", "test.ping", nil, no},
		{"broken", "key of broken", "m1", "test.ping", nil, denied},
		{"nobody", "key of nobody", "*", "test.ping", nil, no},
	} {
		if c.arg == nil {
			c.arg = []any{}
		}
		reply := r.say(testJob(c.tgt, "glob", "user", c.user, "key", c.key, "fun", c.fun, "arg", c.arg))
		got := ""
		if e := reply.Map("error"); e != nil {
			got = e.String("name")
		} else if jid := reply.Map("load").String("jid"); jid == "" {
			t.Errorf("%+v: no jid", c)
		}
		if got != c.want {
			t.Errorf("%s with %q: %v on %v: %q, want %q", c.user, c.key, c.fun, c.tgt, got, c.want)
		}
	}
	// Runners and keys are reserved for the master's own user.
	for _, cmd := range []string{"runner", "wheel"} {
		reply := r.say(wire.NewMap("cmd", cmd, "fun", "key.list_all", "user", "alice", "key", "key of alice"))
		if e := reply.Map("error"); e == nil || !strings.Contains(e.String("name"), "Authentication") {
			t.Errorf("%s for alice: %#v", cmd, reply)
		}
	}
}

// With sudo_acl, users of sudo are restricted by publisher_acl.
func TestSudoACL(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		c.SudoAcl = true
		c.PublisherAcl = map[string]any{"alice": yamlList("test.ping")}
	})
	r.accept("m1", "minion")
	r.start()
	for _, c := range []struct{ user, fun, want string }{
		{"sudo_alice", "test.ping", ""},
		{"sudo_alice", "cmd.run", "AuthorizationError"},
		{"sudo_bob", "test.ping", "AuthenticationError"},
		{"root", "cmd.run", ""},
	} {
		got := ""
		if e := r.say(testJob("*", "glob", "user", c.user, "fun", c.fun)).Map("error"); e != nil {
			got = e.String("name")
		}
		if got != c.want {
			t.Errorf("%s runs %s: %q, want %q", c.user, c.fun, got, c.want)
		}
	}
}

// The rules for a user travel with the job, and the node below applies them again.
func TestAccessInTheTree(t *testing.T) {
	rules := yamlList("test.ping", map[string]any{"m1": yamlList("cmd.run")})
	top := newRig(t, ordersMasters, func(c *config.Master) { c.PublisherAcl = map[string]any{"alice": rules} })
	top.start()
	top.access.Users["alice"] = "key of alice"
	node := top.minion("n1", "syndic", "minion").listen().announce()
	if reply := top.say(testJob("*", "glob", "user", "alice", "key", "key of alice", "kwargs", wire.NewMap("auth_list", []any{}))); reply.Has("error") {
		t.Fatalf("answer %#v", reply)
	}
	list, err := wire.Decode(node.hear().AuthList)
	if err != nil || len(list.([]any)) != 2 {
		t.Fatalf("auth_list %#v, %v", list, err)
	}

	low := newRig(t, ordersMasters)
	low.accept("m1", "minion")
	low.accept("m2", "master")
	low.start()
	for _, c := range []struct {
		tgt, fun, want string
		list           any
	}{
		{"m1", "cmd.run", "", list},
		{"*", "cmd.run", "AuthorizationError", list},
		{"*", "test.ping", "", list},
		{"*", "cmd.run", "", []any{}},
	} {
		got := ""
		if e := low.say(testJob(c.tgt, "glob", "user", "alice", "fun", c.fun, "kwargs", wire.NewMap("auth_list", c.list))).Map("error"); e != nil {
			got = e.String("name")
		}
		if got != c.want {
			t.Errorf("%s on %s with %v: %q, want %q", c.fun, c.tgt, c.list, got, c.want)
		}
	}
}
