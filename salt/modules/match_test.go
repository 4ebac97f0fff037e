package modules

import (
	"testing"

	"github.com/momtree/mom/value"
)

// The results are those of Salt 3006.27 for the same calls on a minion web1 with this role
// and pillar.
func TestMatch(t *testing.T) {
	env := newEnv()
	env.options.Set("id", "web1")
	env.options.Set("nodegroups", m{"webs": "web*"})
	env.grains.Set("role", "web")
	env.grains.Set("ipv4", []any{"127.0.0.1", "10.1.2.3"})
	env.pillar.Set("a", value.NewMap("x", int64(1)))
	env.pillar.Set("role", "web")
	calls(t, env, []callCase{
		{"match.glob", []any{"web*"}, true},
		{"match.glob", []any{"x*"}, false},
		{"match.glob", []any{"x*", kw("minion_id", "xy")}, true},
		{"match.compound", []any{"web1 and G@role:web"}, true},
		{"match.compound", []any{"(web1"}, false},
		{"match.compound", []any{"N@webs"}, true},
		{"match.pcre", []any{`web\d`}, true},
		{"match.list", []any{"web1,web2"}, true},
		{"match.list", []any{"web2"}, false},
		{"match.grain", []any{"role:web"}, true},
		{"match.grain", []any{"role|web", kw("delimiter", "|")}, true},
		{"match.grain_pcre", []any{"role:w.*"}, true},
		{"match.pillar", []any{"a:x:1"}, true},
		{"match.pillar_pcre", []any{"role:w.b"}, true},
		{"match.ipcidr", []any{"127.0.0.0/8"}, true},
		{"match.ipcidr", []any{"nonsense"}, false}, // Salt returns an empty list
		{"match.filter_by", []any{value.NewMap("web*", "Foo!", "bar*", "Bar!")}, "Foo!"},
		{"match.filter_by", []any{value.NewMap("foo*", "Foo!", "bar*", "Bar!"), kw("minion_id", "bar03")}, "Bar!"},
		{"match.filter_by", []any{value.NewMap("foo*", "Foo!", "default", "d")}, "d"},
		{"match.filter_by", []any{value.NewMap("foo*", "Foo!")}, nil},
		{"match.filter_by", []any{value.NewMap("G@role:web", value.NewMap("a", int64(1))), kw("merge", value.NewMap("b", int64(2)))}, m{"a": int64(1), "b": int64(2)}},
		{"match.filter_by", []any{value.NewMap("role:web", int64(1)), "grain"}, int64(1)},
		{"match.filter_by", []any{value.NewMap("x", int64(1)), "filter_by"}, `ERROR: tgt_type "filter_by" is not a kind of target`},
		{"match.filter_by", []any{"text"}, "ERROR: lookup must be a map of targets"},
		{"match.search_by", []any{value.NewMap("web", []any{"web1", "web2"}, "no", []any{"x"})}, []any{"web"}},
		{"match.search_by", []any{value.NewMap("web", []any{"x"})}, nil},
	})
}
