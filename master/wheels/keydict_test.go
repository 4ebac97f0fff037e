package wheels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// Only keys named with their directories are changed.
func TestKeyDict(t *testing.T) {
	dict := func(kv ...any) *value.Map { return value.NewMap(kv...) }
	for _, c := range []struct {
		load      []any
		want, err string // the ids, and the events; the error
	}{
		{[]any{"fun", "key.accept_dict", "match", dict("minions_pre", []any{"a"})}, "a; accept a", ""},
		{[]any{"fun", "key.accept_dict", "match", dict("minions_rejected", []any{"c"})}, "", "include_"},
		{[]any{"fun", "key.accept_dict", "match", dict("minions_rejected", []any{"c"}, "minions_pre", []any{"a"}), "include_rejected", true}, "a c; accept a accept c", ""},
		{[]any{"fun", "key.reject_dict", "match", dict("minions", []any{"b"})}, "", "include_"},
		{[]any{"fun", "key.reject_dict", "match", dict("minions", []any{"b"}), "include_accepted", true}, "b; reject b rotate", ""},
		{[]any{"fun", "key.delete_dict", "match", dict("minions", []any{"b", "x"}, "minions_denied", []any{"d"})}, "b d; delete b delete d rotate", ""},
		{[]any{"fun", "key.delete_dict", "match", dict("minions", []any{"../d"})}, "", "../d"},
		{[]any{"fun", "key.delete_dict", "match", dict("local", []any{"master.pem"})}, "", "not one of the directories"},
		{[]any{"fun", "key.delete_dict", "match", dict("minions", "b")}, "", "has no list"},
		{[]any{"fun", "key.delete_dict", "match", dict("minions", []any{7})}, "", "is not an id"},
		{[]any{"fun", "key.delete_dict", "match", "b"}, "", "is not a mapping"},
	} {
		editor, events := testEditor(t)
		call := &Call{Bound: BindLoad(value.NewMap(append([]any{"cmd", "wheel"}, c.load...)...))}
		call.Env.Keys = editor
		v, err := Run(t.Context(), call)
		m, _ := v.(*value.Map)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || len(*events) > 0 {
				t.Errorf("%v: %v, events %v", c.load, err, *events)
			}
			continue
		}
		if got := strings.Join(m.Strings("minions"), " ") + "; " + strings.Join(*events, " "); err != nil || got != c.want {
			t.Errorf("%v: %s, %v", c.load, got, err)
		}
	}
}

func TestKeyList(t *testing.T) {
	editor, _ := testEditor(t)
	for match, want := range map[string]string{
		"accepted": "minions=[b]", "pre": "minions_pre=[a]", "rej": "minions_rejected=[c]", "den": "minions_denied=[d]",
		"all": "minions=[b] minions_pre=[a] minions_rejected=[c] minions_denied=[d] local=[]",
	} {
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "key.list", Args: []any{match}}), Env: Env{Keys: editor}})
		m, _ := v.(*value.Map)
		got := []string{}
		for _, k := range m.Keys() {
			name, _ := k.(string)
			got = append(got, name+"=["+strings.Join(m.Strings(name), " ")+"]")
		}
		if text := strings.Join(got, " "); err != nil || text != want {
			t.Errorf("%s: %s, %v", match, text, err)
		}
	}
	if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "key.list", Args: []any{"odd"}}), Env: Env{Keys: editor}}); err == nil {
		t.Error("an odd folder is listed")
	}
}

// The master's own key, and its signature, which is created once.
func TestMasterKey(t *testing.T) {
	conf := config.DefaultMaster()
	conf.PkiDir = t.TempDir()
	store, err := keys.Open(keys.Options{PkiDir: conf.PkiDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	editor := keys.Editor{Store: store}
	if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "key.finger_master"}), Env: Env{Keys: editor}}); err == nil || !strings.Contains(err.Error(), "there is no master.pub") {
		t.Errorf("without a key: %v", err)
	}
	pub := vectors.Keys(t)["master"].PublicPEM
	if err := os.WriteFile(filepath.Join(conf.PkiDir, "master.pub"), []byte(pub), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(fun string, kw ...any) (any, error) {
		return Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun, Kwargs: value.NewMap(kw...)}), Env: Env{Keys: editor, Config: conf}})
	}
	text, err := run("key.master_key_str")
	if m, _ := text.(*value.Map); err != nil || m.Map("local").String("master.pub") != pub {
		t.Errorf("%v, %v", text, err)
	}
	want, err := crypt.Fingerprint([]byte(pub), "md5")
	if err != nil {
		t.Fatal(err)
	}
	finger, err := run("key.finger_master", "hash_type", "md5")
	if m, _ := finger.(*value.Map); err != nil || m.Map("local").String("master.pub") != want {
		t.Errorf("%v, %v", finger, err)
	}
	if _, err := run("key.gen_signature"); err == nil || !strings.Contains(err.Error(), "auto_create=True creates it") {
		t.Errorf("without a signing key: %v", err)
	}
	for _, path := range []string{"priv", "pub", "signature_path"} {
		if _, err := run("key.gen_signature", path, "/etc/shadow"); err == nil || !strings.Contains(err.Error(), "callers may not name files") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if v, err := run("key.gen_signature", "auto_create", true); err != nil || v != true {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := os.Stat(filepath.Join(conf.PkiDir, conf.MasterPubkeySignature)); err != nil {
		t.Error(err)
	}
	if _, err := run("key.gen_signature", "auto_create", true); err == nil || !strings.Contains(err.Error(), "exists and is unchanged") {
		t.Errorf("a second time: %v", err)
	}
}

// A minion behind a node that is down is not connected. A minion of several nodes is listed once.
func TestConnected(t *testing.T) {
	up := func(ids ...string) (out []topology.Minion) {
		for _, id := range ids {
			out = append(out, topology.Minion{ID: id, State: topology.Up})
		}
		return out
	}
	tree := topology.Node{ID: "top", State: topology.Up, Minions: append(up("b"), topology.Minion{ID: "off", State: topology.Down}), Nodes: []topology.Node{
		{ID: "n1", State: topology.Up, Minions: up("a", "b")},
		{ID: "n2", State: topology.Down, Minions: up("c"), Nodes: []topology.Node{{ID: "n3", State: topology.Up, Minions: up("d")}}},
	}}
	v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "minions.connected"}), Env: Env{Tree: func() topology.Node { return tree }}})
	if got, _ := v.([]string); err != nil || strings.Join(got, " ") != "a b" {
		t.Errorf("%v, %v", v, err)
	}
}

func TestNotServed(t *testing.T) {
	for _, f := range notServed {
		if v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: f.name, Args: []any{"x"}, Kwargs: value.NewMap("saltenv", "base")})}); err == nil || v != nil || !strings.Contains(err.Error(), f.why) {
			t.Errorf("%s: %v, %v", f.name, v, err)
		}
	}
	if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "error.error", Args: []any{"Exception", "no"}})}); err == nil || err.Error() != "Exception: no" {
		t.Errorf("error.error: %v", err)
	}
}
