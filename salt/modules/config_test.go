package modules

import (
	"testing"

	"github.com/momtree/mom/value"
)

func TestConfig(t *testing.T) {
	env := newEnv()
	env.options.Set("nested", map[string]any{"a": []any{"x", map[string]any{"b": int64(1)}}})
	env.options.Set("mysql.host", "db")
	env.options.Set("mysqlx", "no")
	env.options.Set("both", value.NewMap("o", int64(1), "s", "opts"))
	env.options.Set("list", []any{"o"})
	env.pillar.Set("both", value.NewMap("p", int64(2), "s", "pillar"))
	env.pillar.Set("master", value.NewMap("interface", "0.0.0.0", "mysql.user", "salt", "list", []any{"m"}))
	calls(t, env, []callCase{
		{"config.get", []any{"hash_type"}, "sha256"},
		{"config.get", []any{"nested:a:1:b"}, int64(1)},
		{"config.get", []any{"nested|a|0", kw("delimiter", "|")}, "x"},
		{"config.get", []any{"nest:k"}, "vweb"},
		{"config.get", []any{"nest:k", kw("omit_grains", true)}, ""},
		{"config.get", []any{"who"}, "people"},
		{"config.get", []any{"interface"}, "0.0.0.0"},
		{"config.get", []any{"nosuch", "dflt"}, "dflt"},
		{"config.get", []any{"both"}, m{"o": int64(1), "s": "opts"}},
		{"config.get", []any{"both", kw("merge", "recurse")}, m{"p": int64(2), "o": int64(1), "s": "opts"}},
		{"config.get", []any{"both", kw("merge", "overwrite")}, m{"o": int64(1), "s": "opts"}},
		{"config.get", []any{"both", kw("merge", "sideways")}, "ERROR executing 'config.get': merge must be recurse or overwrite, not 'sideways'"},
		{"config.option", []any{"hash_type"}, "sha256"},
		{"config.option", []any{"os"}, "Debian"},
		{"config.option", []any{"interface"}, "0.0.0.0"},
		{"config.option", []any{"hash_type", kw("omit_all", true)}, ""},
		{"config.option", []any{"nosuch", "dflt"}, "dflt"},
		{"config.option", []any{"mysql.*", kw("wildcard", true)}, m{"mysql.user": "salt", "mysql.host": "db"}},
		{"config.option", []any{"nosuch*", kw("wildcard", true)}, m{}},
		{"config.merge", []any{"both"}, m{"p": int64(2), "o": int64(1), "s": "opts"}},
		{"config.merge", []any{"list", kw("omit_pillar", true)}, []any{"o", "m"}},
		{"config.merge", []any{"hash_type"}, "sha256"},
		{"config.merge", []any{"nosuch", "dflt"}, "dflt"},
		{"config.dot_vals", []any{"mysql"}, m{"mysql.user": "salt", "mysql.host": "db"}},
		{"config.backup_mode", nil, "minion"},
		{"config.backup_mode", []any{"master"}, "master"},
		{"config.valid_fileproto", []any{"salt://a"}, true},
		{"config.valid_fileproto", []any{"gopher://a"}, false},
		{"config.valid_fileproto", []any{"/a"}, false},
		{"config.manage_mode", []any{int64(644)}, "0644"},
		{"config.manage_mode", []any{"0o755"}, "0755"},
		{"config.manage_mode", []any{"u+x"}, "Passed invalid arguments to config.manage_mode: mode must be octal digits, not 'u+x'"},
	})
	same(t, "items", result(t, env, "config.items"), plainValue(env.options))
	same(t, "the pillar after merging", plainValue(env.pillar.Map("both")), any(m{"p": int64(2), "s": "pillar"}))
}
