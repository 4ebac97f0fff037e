package wheels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

// testEditor returns an editor with keys a to d, which are pending, accepted, rejected and denied. The
// slice collects its events and its requests for a new shared key.
func testEditor(t *testing.T) (editor keys.Editor, events *[]string) {
	t.Helper()
	return testEditorIn(t, t.TempDir())
}

// testEditorIn is testEditor with the PKI directory pki.
func testEditorIn(t *testing.T, pki string) (editor keys.Editor, events *[]string) {
	t.Helper()
	pub := []byte(vectors.Keys(t)["minion"].PublicPEM)
	for id, folder := range map[string]string{"a": "minions_pre", "b": "minions", "c": "minions_rejected", "d": "minions_denied"} {
		if err := os.MkdirAll(filepath.Join(pki, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pki, folder, id), pub, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := keys.Open(keys.Options{PkiDir: pki})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	events = &[]string{}
	return keys.Editor{
		Store:  store,
		Fire:   func(_ string, d *wire.Map) { *events = append(*events, d.String("act")+" "+d.String("id")) },
		Rotate: func() error { *events = append(*events, "rotate"); return nil },
	}, events
}

// Each function changes the keys it names, reports the change, and accepts its arguments in every
// form that Salt's clients use.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		load []any
		want string // the answer; the events
	}{
		{[]any{"fun", "key.list_all", "match", "", "user", "root"}, "minions=[b] minions_pre=[a] minions_rejected=[c] minions_denied=[d] local=[];"},
		{[]any{"fun", "key.accept", "match", "*"}, "minions=[a]; accept a"},
		{[]any{"fun", "key.accept", "match", "a,c,d", "include_rejected", true}, "minions=[a c]; accept a accept c"},
		{[]any{"fun", "key.accept", "match", []any{"c", "d"}, "include_denied", "True"}, "minions=[d]; accept d"},
		{[]any{"fun", "key.accept", "arg", []any{"*", true}, "kwarg", value.NewMap("include_denied", true)}, "minions=[a c d]; accept a accept c accept d"},
		{[]any{"fun", "key.accept", "match", "nope"}, ";"},
		{[]any{"fun", "key.reject", "match", "*"}, "minions=[a]; reject a rotate"},
		{[]any{"fun", "key.reject", "match", "*", "include_accepted", true}, "minions=[b a]; reject b reject a rotate"},
		{[]any{"fun", "key.delete", "match", "[a-c]"}, "minions=[b a c]; delete b delete a delete c rotate"},
		{[]any{"fun", "key.delete", "match", "x"}, ";"},
		{[]any{"fun", "key.delete", "match", "../d"}, ";"},
		{[]any{"fun", "key.delete"}, "delete takes at least 1 argument (0 given)"},
		{[]any{"fun", "key.delete", "match", ""}, "Passed invalid arguments: match is empty"},
		{[]any{"fun", "key.delete", "match", nil}, "Passed invalid arguments: match is empty"},
		{[]any{"fun", "key.delete", "match", "a", "include_denied", true}, "'include_denied' is an invalid keyword argument for 'wheel.key.delete'"},
		{[]any{"fun", "key.accept", "arg", []any{"a"}, "kwarg", value.NewMap("force", true)}, "Passed invalid arguments: key.accept() got an unexpected keyword argument 'force'"},
		{[]any{"fun", "key.accept", "match", "a", "include_denied", "maybe"}, "Passed invalid arguments: include_denied=maybe is neither True nor False"},
		{[]any{"fun", "key.name_match", "match", "[ab]"}, "minions=[b] minions_pre=[a];"},
		{[]any{"fun", "key.glob_match", "match", "[ab]"}, "minions=[b] minions_pre=[a];"},
		{[]any{"fun", "key.finger", "match", "x"}, ";"},
		{[]any{"fun", "key.finger", "match", ""}, "Passed invalid arguments: match is empty"},
		{[]any{"fun", "key.nosuch", "match", "a"}, "'key.nosuch' is not available."},
	} {
		editor, events := testEditor(t)
		got, err := call(t, editor, value.NewMap(c.load...))
		if got += strings.TrimRight("; "+strings.Join(*events, " "), " "); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.load, got, c.want)
		}
	}
}

func call(t *testing.T, editor keys.Editor, load *value.Map) (string, error) {
	t.Helper()
	c := &Call{Bound: BindLoad(load)}
	c.Env.Keys = editor
	v, err := Run(t.Context(), c)
	if err != nil {
		return "", err
	}
	var out []string
	v.(*value.Map).Range(func(k, v any) bool {
		out = append(out, fmt.Sprintf("%v=%v", k, v))
		return true
	})
	return strings.Join(out, " "), nil
}

// The answer contains both what succeeded and what failed.
func TestKeys_NoNewSharedKey(t *testing.T) {
	editor, events := testEditor(t)
	full := errors.New("the disk is full")
	editor.Rotate = func() error { return full }
	if _, err := call(t, editor, value.NewMap("fun", "key.delete", "match", "a")); !errors.Is(err, full) || len(*events) != 1 {
		t.Errorf("%v, events %v", err, *events)
	}
}

func TestEveryFunctionIsDocumented(t *testing.T) {
	docs := Docs()
	for _, name := range Names() {
		doc := docs.String(name)
		if !strings.Contains(doc, "wheel.cmd('"+name+"'") {
			t.Errorf("%s: no example of a call in %q", name, doc)
		}
		f, _ := registry.Lookup(name)
		for _, a := range f.Args {
			if a != "*" && !strings.Contains(doc, strings.TrimSuffix(a, "=")) {
				t.Errorf("%s: its argument %s is not documented", name, a)
			}
		}
	}
}
