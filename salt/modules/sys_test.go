package modules

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func TestSys_Lists(t *testing.T) {
	env := newEnv()
	all := result(t, env, "sys.list_functions").([]any)
	if len(all) != len(Functions()) || !slices.Contains(all, any("cmd.run")) {
		t.Errorf("list_functions = %v", all)
	}
	calls(t, env, []callCase{
		{"sys.list_functions", []any{"sys"}, []any{"sys.argspec", "sys.doc", "sys.list_functions", "sys.list_modules", "sys.list_returners", "sys.returner_doc"}},
		{"sys.list_functions", []any{"test.pi*", "cmd.which", "test.ping"}, []any{"cmd.which", "test.ping"}},
		{"sys.list_functions", []any{"nosuch"}, []any{}},
		{"sys.list_modules", []any{"st*"}, []any{"status"}},
		{"sys.list_modules", []any{"cmd", "nosuch"}, []any{"cmd"}},
		{"sys.list_modules", nil, wire.AnyList(Modules())},
	})
}

func TestSys_Doc(t *testing.T) {
	env := newEnv()
	docs := result(t, env, "sys.doc", "test.ping", "sys.").(m)
	if len(docs) != 7 || !strings.Contains(docs["test.ping"].(string), "salt '*' test.ping") {
		t.Errorf("doc = %v", docs)
	}
	if docs := result(t, env, "sys.doc").(m); len(docs) != len(Functions()) {
		t.Errorf("%d docs of %d functions", len(docs), len(Functions()))
	}
}

func TestSys_Returners(t *testing.T) {
	returners.Register(returners.Driver{
		Name: "sys_test", Doc: "Keeps nothing.",
		Open: func(context.Context, returners.Options) (returners.Saver, error) {
			return nil, returners.ErrUnavailable
		},
	})
	calls(t, newEnv(), []callCase{
		{"sys.list_returners", nil, []any{"sys_test"}},
		{"sys.list_returners", []any{"my*"}, []any{}},
		{"sys.returner_doc", []any{"sys_*"}, m{"sys_test": "Keeps nothing."}},
	})
}

func TestSys_Argspec(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"sys.argspec", []any{"test.ping"}, m{"test.ping": m{"args": nil, "defaults": nil, "varargs": nil, "kwargs": nil}}},
		{"sys.argspec", []any{"test.arg"}, m{"test.arg": m{"args": nil, "defaults": nil, "varargs": true, "kwargs": true}}},
		{"sys.argspec", []any{"grains.delval"}, m{"grains.delval": m{
			"args": []any{"key", "destructive", "force"}, "defaults": []any{false, false}, "varargs": nil, "kwargs": nil,
		}}},
	})
	// Every declaration has to be encodable.
	for _, name := range Modules() {
		if _, err := wire.Encode(run(t, env, "sys.argspec", name).Value); err != nil {
			t.Errorf("argspec of %s: %v", name, err)
		}
	}
}
