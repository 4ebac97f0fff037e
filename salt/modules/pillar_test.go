package modules

import (
	"errors"
	"testing"

	"github.com/momtree/mom/value"
)

func TestPillar_InMemory(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"pillar.get", []any{"deep:key"}, "value"},
		{"pillar.get", []any{"deep|key", kw("delimiter", "|")}, "value"},
		{"pillar.get", []any{"nosuch"}, ""},
		{"pillar.get", []any{"nosuch", nil}, nil},
		{"pillar.get", []any{"nosuch", kw("default", "d")}, "d"},
		{"pillar.get", []any{"deep", value.NewMap("key", "old", "more", true), true}, m{"key": "value", "more": true, "n": int64(1)}},
		{"pillar.get", []any{"nosuch", value.NewMap("a", int64(1)), true}, m{"a": int64(1)}},
		{"pillar.get", []any{"list", []any{"q", "p"}, true}, []any{"q", "p"}},
		{"pillar.get", []any{"list", []any{"q"}, true}, []any{"q", "p"}},
		{"pillar.get", []any{"who", value.NewMap("a", int64(1)), true}, "people"},
		{"pillar.item", []any{"who", "nosuch"}, m{"who": "people", "nosuch": ""}},
		{"pillar.items", []any{"who"}, m{"who": "people"}},
		{"pillar.raw", []any{"deep"}, m{"key": "value", "n": int64(1)}},
		{"pillar.raw", []any{"nosuch"}, m{}},
		{"pillar.keys", []any{"deep"}, []any{"key", "n"}},
		{"pillar.keys", []any{"nosuch"}, "The minion function caused an exception: KeyError: 'Pillar key not found: nosuch'"},
		{"pillar.keys", []any{"who"}, "The minion function caused an exception: ValueError: Pillar value in key who is not a dict"},
	})
	same(t, "raw", result(t, env, "pillar.raw"), plainValue(env.pillar))
	env.options.Set("pillar_raise_on_missing", true)
	calls(t, env, []callCase{
		{"pillar.get", []any{"nosuch"}, "The minion function caused an exception: KeyError: 'Pillar key not found: nosuch'"},
		{"pillar.get", []any{"nosuch", "d"}, "d"},
	})
}

func TestPillar_Fetched(t *testing.T) {
	env := newEnv()
	var asked []PillarOptions
	env.compile = func(o PillarOptions) (*value.Map, error) {
		asked = append(asked, o)
		return value.NewMap("fresh", true, "deep", value.NewMap("l", []any{int64(1), "s"})), nil
	}
	calls(t, env, []callCase{
		{"pillar.items", nil, m{"fresh": true, "deep": m{"l": []any{int64(1), "s"}}}},
		{"pillar.data", []any{kw("pillarenv", "dev", "pillar", value.NewMap("a", int64(1)))}, m{"fresh": true, "deep": m{"l": []any{int64(1), "s"}}}},
		{"pillar.get", []any{"fresh", kw("saltenv", "prod")}, true},
		{"pillar.item", []any{"fresh", kw("pillarenv", "dev")}, m{"fresh": true}},
		{"pillar.ls", nil, []any{"fresh", "deep"}},
		{"pillar.obfuscate", nil, m{"fresh": "<bool>", "deep": m{"l": []any{"<int>", "<str>"}}}},
		{"pillar.items", []any{kw("pillar_enx", "x")}, "ERROR executing 'pillar.items': The following keyword arguments are not valid: pillar_enx=x"},
		{"pillar.items", []any{kw("pillar", "x")}, "ERROR executing 'pillar.items': pillar must be a map, not 'x'"},
	})
	if len(asked) != 6 || asked[1].Pillarenv != "dev" || asked[1].Override.Int("a") != 1 || asked[2].Saltenv != "prod" || asked[2].Pillarenv != "" {
		t.Errorf("asked = %+v", asked)
	}
	env.options.Set("pillarenv_from_saltenv", true)
	result(t, env, "pillar.items", kw("saltenv", "prod"))
	if got := asked[len(asked)-1].Pillarenv; got != "prod" {
		t.Errorf("pillarenv = %q, want prod", got)
	}
	env.compile = func(PillarOptions) (*value.Map, error) { return nil, errors.New("master is away") }
	same(t, "error", run(t, env, "pillar.items").Value, any("ERROR: fetch the pillar: master is away"))
}
