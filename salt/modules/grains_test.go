package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/grains"
	"github.com/momtree/mom/value"
)

func TestGrains_Read(t *testing.T) {
	calls(t, newEnv(), []callCase{
		{"grains.get", []any{"nest:k"}, "vweb"},
		{"grains.get", []any{"nest:list:1:y"}, int64(1)},
		{"grains.get", []any{"nosuch"}, ""},
		{"grains.get", []any{"nosuch", "dflt"}, "dflt"},
		{"grains.get", []any{"nest|k", kw("delimiter", "|")}, "vweb"},
		{"grains.fetch", []any{"nothing", "dflt"}, nil},
		{"grains.item", []any{"os", "nosuch"}, m{"os": "Debian", "nosuch": ""}},
		{"grains.item", []any{"nosuch", kw("default", nil)}, m{"nosuch": nil}},
		{"grains.item", []any{"os", kw("sanitise", int64(1))}, "ERROR executing 'grains.item': The following keyword arguments are not valid: sanitise=1"},
		{"grains.item", []any{"serialnumber", "id", kw("sanitize", true)}, m{"serialnumber": "ABCD12XX", "id": "MINION.DOMAINNAME"}},
		{"grains.has_value", []any{"nest:k"}, true},
		{"grains.has_value", []any{"nest:q"}, false},
		{"grains.equals", []any{"num", "3"}, true},
		{"grains.equals", []any{"num", int64(4)}, false},
		{"grains.ls", nil, []any{"fqdn", "id", "nest", "nothing", "num", "os", "serialnumber", "tags"}},
	})
	env := newEnv()
	same(t, "items", result(t, env, "grains.items"), plainValue(env.grains))
	if got := result(t, env, "grains.items", kw("sanitize", true)).(m); got["fqdn"] != "MINION.DOMAINNAME" {
		t.Errorf("sanitized fqdn = %v", got["fqdn"])
	}
	if env.grains.String("fqdn") != "web-01.example.com" {
		t.Error("sanitize changed the minion's own grains")
	}
	got := run(t, env, "grains.get", "nest", kw("ordered", false)).Value.(*value.Map)
	same(t, "order", got.Keys(), []any{"k", "list"})
}

// stored returns the content of the static grains file.
func stored(t *testing.T, dir string) any {
	t.Helper()
	g, err := grains.ReadFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	return plainValue(g)
}

func TestGrains_Change(t *testing.T) {
	const ok = ""
	set := func(changes m) m { return m{"comment": ok, "changes": changes, "result": true} }
	refused := func(comment string) m { return m{"comment": comment, "changes": m{}, "result": false} }
	tests := []struct {
		name string
		fun  string
		args []any
		want any
		file m
	}{
		{"setval", "grains.setval", []any{"role", "web"}, m{"role": "web"}, m{"role": "web", "old": "o"}},
		{"setvals", "grains.setvals", []any{value.NewMap("a", int64(1), "old", nil), kw("destructive", true)}, m{"a": int64(1), "old": nil}, m{"a": int64(1)}},
		{"setvals no map", "grains.setvals", []any{"x"}, "The minion function caused an exception: salt.exceptions.SaltException: setvals grains must be a dictionary.", m{"old": "o"}},
		{"append", "grains.append", []any{"tags", "c"}, m{"tags": []any{"a", "b", "c"}}, m{"old": "o", "tags": []any{"a", "b", "c"}}},
		{"append list", "grains.append", []any{"tags", []any{"c", "d"}}, m{"tags": []any{"a", "b", "c", "d"}}, m{"old": "o", "tags": []any{"a", "b", "c", "d"}}},
		{"append present", "grains.append", []any{"tags", "a"}, "The val a was already in the list tags", m{"old": "o"}},
		{"append to text", "grains.append", []any{"os", "x"}, "The key os is not a valid list", m{"old": "o"}},
		{"append converting", "grains.append", []any{"os", "x", true}, m{"os": []any{"Debian", "x"}}, m{"old": "o", "os": []any{"Debian", "x"}}},
		{"append nested", "grains.append", []any{"new:sub", "x"}, m{"new": m{"sub": []any{"x"}}}, m{"old": "o", "new": m{"sub": []any{"x"}}}},
		{"remove", "grains.remove", []any{"tags", "a"}, m{"tags": []any{"b"}}, m{"old": "o", "tags": []any{"b"}}},
		{"remove absent", "grains.remove", []any{"tags", "q"}, "The val q was not in the list tags", m{"old": "o"}},
		{"set", "grains.set", []any{"role", "db"}, set(m{"role": "db"}), m{"old": "o", "role": "db"}},
		{"set same", "grains.set", []any{"os", "Debian"}, m{"comment": "Grain is already set", "changes": m{}, "result": true}, m{"old": "o"}},
		{"set nested", "grains.set", []any{"app:web:port", int64(80)}, set(m{"app": m{"web": m{"port": int64(80)}}}), m{"old": "o", "app": m{"web": m{"port": int64(80)}}}},
		{"set over list", "grains.set", []any{"tags", "x"}, refused("The key 'tags' exists but is a dict or a list. Use 'force=True' to overwrite."), m{"old": "o"}},
		{"set list over text", "grains.set", []any{"os", []any{"x"}}, refused("The key 'os' exists and the given value is a dict or a list. Use 'force=True' to overwrite."), m{"old": "o"}},
		{"set by force", "grains.set", []any{"tags", "x", true}, set(m{"tags": "x"}), m{"old": "o", "tags": "x"}},
		{"set below text", "grains.set", []any{"os:sub", "x"}, refused("The key 'os' value is 'Debian', which is different from the provided key 'sub'. Use 'force=True' to overwrite."), m{"old": "o"}},
		{"delval", "grains.delval", []any{"old"}, set(m{"old": nil}), m{"old": nil}},
		{"delkey", "grains.delkey", []any{"old"}, set(m{"old": nil}), m{}},
		{"delkey list", "grains.delkey", []any{"tags"}, refused("The key 'tags' exists but is a dict or a list. Use 'force=True' to overwrite."), m{"old": "o"}},
		{"delkey nested", "grains.delkey", []any{"nest:k"}, set(m{"nest": m{"list": []any{"x", m{"y": int64(1)}}}}), m{"old": "o", "nest": m{"list": []any{"x", m{"y": int64(1)}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := newEnv()
			env.grains.Set("old", "o")
			dir := env.withConf(t)
			if err := os.WriteFile(filepath.Join(dir, grains.FileName), []byte("old: o\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := plainValue(newEnv().grains.Map("nest"))
			held := env.grains
			same(t, "result", plainValue(run(t, env, tt.fun, tt.args...).Value), tt.want)
			same(t, "file", stored(t, dir), any(tt.file))
			same(t, "the map the function was handed", plainValue(held.Map("nest")), before)
		})
	}
}

func TestGrains_ChangeRefreshesTheMinion(t *testing.T) {
	env := newEnv()
	env.withConf(t)
	result(t, env, "grains.setval", "role", "web")
	same(t, "refresh", env.refresh, []string{"grains", "send"})
	same(t, "grain", result(t, env, "grains.get", "role"), any("web"))
	env.refresh = nil
	result(t, env, "grains.setval", "role", "db", kw("refresh_pillar", false))
	same(t, "refresh", env.refresh, []string{"grains"})
}

func TestGrains_ChangeErrors(t *testing.T) {
	if r := run(t, newEnv(), "grains.setval", "a", "b"); r.Success || !strings.Contains(r.Value.(string), "no configuration folder") {
		t.Errorf("result = %v", r.Value)
	}
	env := newEnv()
	dir := env.withConf(t)
	if err := os.WriteFile(filepath.Join(dir, grains.FileName), []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, env, "grains.setval", "a", "b"); r.Success || !strings.HasPrefix(r.Value.(string), "ERROR: Unable to read existing grains file: ") {
		t.Errorf("result = %v", r.Value)
	}
}
