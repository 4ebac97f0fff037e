package publish

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

func previewOf(t *testing.T, w *world, by *server.Login, more ...any) (string, error) {
	t.Helper()
	m := wire.NewMap("cmd", "preview", "tgt", "*", "tgt_type", "glob", "fun", "test.ping", "arg", []any{}, "user", "root")
	for i := 0; i < len(more); i += 2 {
		m.Set(more[i], more[i+1])
	}
	b, err := wire.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.previewed(t.Context(), &server.Request{Cmd: "preview", Load: b, User: "root", Login: by})
	if err != nil {
		return "", err
	}
	raw, err := wire.Encode(v.(*wire.Map).Map("load"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := wire.ToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), " ", ""), nil
}

// A preview counts the matching minions of all tiers and starts nothing.
func TestPreview(t *testing.T) {
	w := newWorld(t)
	conf := config.DefaultMaster()
	conf.Cachedir = t.TempDir()
	acl, err := access.Open(conf, func(id string) target.Subject { return target.ID(id) }, quiet)
	if err != nil {
		t.Fatal(err)
	}
	acl.Own = "root"
	w.o.Access = acl
	up, down := topology.Up, topology.Down
	w.tree = topology.Node{ID: "top", Version: "1", State: up, Minions: []topology.Minion{{ID: "m1", State: down}}, Nodes: []topology.Node{
		{ID: "a", Version: "1", State: up, Minions: []topology.Minion{{ID: "db1", State: up}, {ID: "web1", State: up}, {ID: "web2", State: down}}},
		{ID: "b", Version: "1", State: down, Minions: []topology.Minion{{ID: "web3", State: up}}, Nodes: []topology.Node{
			{ID: "deep", Version: "1", State: up, Minions: []topology.Minion{{ID: "web4", State: up}}},
		}},
		{ID: "py", State: up},
	}}
	rules := func(list ...any) *server.Login { return &server.Login{Name: "fred", Eauth: "pam", Rules: list} }
	only := wire.NewMap("web*", []any{"test.*"})
	for name, c := range map[string]struct {
		by   *server.Login
		more []any
		want string
	}{
		"all": {nil, nil, `{"count":6,"down":4,"unknown":0,"blind":1,"minions":[{"id":"db1","path":"a","state":"up"},{"id":"m1","path":"","state":"down"},{"id":"web1","path":"a","state":"up"},` +
			`{"id":"web2","path":"a","state":"down"},{"id":"web3","path":"b","state":"unknown"},{"id":"web4","path":"b/deep","state":"unknown"}],` +
			`"nodes":[{"path":"","count":1},{"path":"a","count":3},{"path":"b","count":1},{"path":"b/deep","count":1}]}`},
		"few named":       {nil, []any{"limit", 1}, `"minions":[{"id":"m1","path":"","state":"down"}],"nodes":[{"path":"","count":1},{"path":"a","count":3}`},
		"by grains":       {nil, []any{"tgt", "G@os:Debian", "tgt_type", "compound"}, `{"count":0,"down":0,"unknown":5,"blind":1,"minions":[],"nodes":[]}`},
		"within a rule":   {rules(only), []any{"tgt", "web*"}, `{"count":4,"down":3,"unknown":0,"blind":1,`},
		"a rule on all":   {rules("test.ping"), nil, `{"count":6,`},
		"a rule by grain": {rules(wire.NewMap("G@role:web", []any{"test.*"})), []any{"tgt", "web1"}, `{"count":0,"down":0,"unknown":1,"blind":1,"minions":[],"nodes":[]}`},
		"one of two":      {rules(only, wire.NewMap("G@role:db", []any{"test.*"})), []any{"tgt", "web1 or web2", "tgt_type", "compound"}, `{"count":2,`},
	} {
		if name == "a rule by grain" { // a rule on grains shows counts only
			w.tree.Nodes = w.tree.Nodes[:1]
			c.want = strings.Replace(c.want, `"blind":1`, `"blind":0`, 1)
		}
		got, err := previewOf(t, w, c.by, c.more...)
		w.tree.Nodes = w.tree.Nodes[:3]
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
	w.want(t)

	refused := map[string]struct {
		by    *server.Login
		more  []any
		words string
	}{
		"beyond the rule":  {rules(only), nil, "Authorization error"},
		"another function": {rules(only), []any{"tgt", "web*", "fun", "cmd.run"}, "Authorization error"},
		"no rules":         {rules(), nil, "Authentication error"},
		"a wrong limit":    {nil, []any{"limit", 1001}, "limit must be"},
		"no number":        {nil, []any{"limit", "x"}, "limit must be"},
		"a wrong target":   {nil, []any{"tgt", "(", "tgt_type", "pcre"}, "target"},
		"no target":        {nil, []any{"tgt", 5}, "target"},
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		c := refused[name]
		got, err := previewOf(t, w, c.by, c.more...)
		if no := (server.Refusal{}); got != "" || !errors.As(err, &no) || !strings.Contains(no.Message, c.words) {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	w.want(t, "refused fred cmd.run", "refused fred test.ping", "refused fred test.ping")
}

// Any load gives a preview or a refusal, and starts no job.
func FuzzPreview(f *testing.F) {
	for _, m := range []*wire.Map{
		wire.NewMap("tgt", "*", "fun", "test.ping", "arg", []any{}, "limit", 5),
		wire.NewMap("tgt", []any{"a", 1}, "tgt_type", "list", "fun", []any{"a.b", "c.d"}, "arg", []any{[]any{}, 1}, "kwargs", wire.NewMap("auth_list", []any{".*"}), "jid", someJob),
		wire.NewMap("tgt", "B@x and D@0-", "tgt_type", "compound", "fun", "x", "limit", -1),
	} {
		b, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld(t)
		_, err := w.previewed(t.Context(), &server.Request{Cmd: "preview", Load: b, User: "root"})
		if no := (server.Refusal{}); err != nil && !errors.As(err, &no) {
			t.Fatal(err)
		}
		for _, said := range w.calls {
			if strings.HasPrefix(said, "sent") || strings.HasPrefix(said, "shown") {
				t.Fatal(w.calls)
			}
		}
	})
}
