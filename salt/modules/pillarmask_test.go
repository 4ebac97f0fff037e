package modules

import "testing"

// In Salt 3008, each pillar function has the keyword unmask, and shows no strings without
// it.
func TestPillar_Masked(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"pillar.get", []any{"deep:key", kw("unmask", true)}, "value"},
		{"pillar.get", []any{"deep", kw("unmask", false)}, m{"key": "**********", "n": int64(1)}},
		{"pillar.item", []any{"who", kw("unmask", true)}, m{"who": "people"}},
		{"pillar.items", []any{"who", kw("unmask", false)}, m{"who": "**********"}},
		{"pillar.raw", []any{"deep", kw("unmask", false)}, m{"key": "**********", "n": int64(1)}},
		{"pillar.keys", []any{"deep", kw("unmask", true)}, []any{"key", "n"}},
	})
	env.options.Set("pillar_mask", true)
	calls(t, env, []callCase{
		{"pillar.get", []any{"deep:key"}, "**********"},
		{"pillar.get", []any{"deep:key", kw("unmask", true)}, "value"},
		{"pillar.get", []any{"list"}, []any{"**********"}},
		{"pillar.get", []any{"nosuch"}, ""},
		{"pillar.item", []any{"who"}, m{"who": "**********"}},
		{"pillar.raw", []any{"deep"}, m{"key": "value", "n": int64(1)}},
	})
	// Templates and states see plain values.
	r := Execute(t.Context(), env, Invocation{Fun: "pillar.get", Args: []any{"deep:key"}, JID: "20240101000000000001"})
	if r.Value != "value" {
		t.Errorf("from inside: %v", r.Value)
	}
}
