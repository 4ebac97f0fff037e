package wheels

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

// made calls a function that creates a pair.
func made(t *testing.T, editor keys.Editor, load ...any) (*value.Map, error) {
	t.Helper()
	c := &Call{Bound: BindLoad(value.NewMap(load...))}
	c.Env.Keys = editor
	v, err := Run(t.Context(), c)
	m, _ := v.(*value.Map)
	return m, err
}

// Pairs match and have the requested length. No id loses its key unless force is set.
func TestKeyPairs(t *testing.T) {
	editor, events := testEditor(t)
	for _, c := range []struct {
		load []any
		bits int // 0: expect no pair
		want string
		err  string
	}{
		{[]any{"fun", "key.gen"}, 2048, "", ""},
		{[]any{"fun", "key.gen", "id_", "x", "keysize", 2056}, 2056, "", ""},
		{[]any{"fun", "key.gen_accept", "id_", "new"}, 2048, "accept new", ""},
		{[]any{"fun", "key.gen_accept", "id_", "new"}, 0, "", ""},
		{[]any{"fun", "key.gen_accept", "id_", "b", "force", true}, 2048, "accept b rotate", ""},
		{[]any{"fun", "key.gen_accept", "id_", "../x"}, 0, "", "Passed invalid arguments"},
		{[]any{"fun", "key.gen_accept", "id_", ""}, 0, "", "Passed invalid arguments"},
		{[]any{"fun", "key.gen", "keysize", 1024}, 0, "", "is less than 2048 bits"},
		{[]any{"fun", "key.gen", "keysize", 1 << 20}, 0, "", "are supported"},
		{[]any{"fun", "key.gen", "keysize", -1}, 0, "", "Passed invalid arguments"},
	} {
		*events = nil
		got, err := made(t, editor, c.load...)
		if text := strings.Join(*events, " "); text != c.want {
			t.Errorf("%v: events %q", c.load, text)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: %v", c.load, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", c.load, err)
		}
		if c.bits == 0 {
			if got.Len() != 0 {
				t.Errorf("%v: %v", c.load, got.Keys())
			}
			continue
		}
		private, err := crypt.ParsePrivatePEM([]byte(got.String("priv")), "")
		if err != nil || private.N.BitLen() != c.bits || crypt.PublicPEM(&private.PublicKey) != got.String("pub") {
			t.Errorf("%v: no pair of %d bits: %v", c.load, c.bits, err)
		}
		id, _ := value.NewMap(c.load...).Get("id_")
		if c.want != "" {
			if key, err := editor.Store.PublicKey(id.(string)); err != nil || crypt.PublicPEM(key) != got.String("pub") {
				t.Errorf("%v: its key is not the accepted one: %v", c.load, err)
			}
		}
	}
	for _, name := range []string{"key.gen", "key.gen_accept"} {
		if !Private(name) {
			t.Errorf("the event bus is shown what %s makes", name)
		}
	}
}

// Fingerprints and texts are grouped by key directory.
func TestKeysShown(t *testing.T) {
	pki := t.TempDir()
	editor, _ := testEditorIn(t, pki)
	pub := vectors.Keys(t)["minion"].PublicPEM
	finger, err := crypt.Fingerprint([]byte(pub), "sha256")
	if err != nil {
		t.Fatal(err)
	}
	for fun, want := range map[string]string{"key.finger": finger, "key.key_str": pub} {
		got, err := made(t, editor, "fun", fun, "match", "a,b")
		if err != nil || got.Len() != 2 || got.Map("minions").String("b") != want || got.Map("minions_pre").String("a") != want {
			t.Errorf("%s: %v, %v", fun, got.Keys(), err)
		}
	}
	if got, err := made(t, editor, "fun", "key.finger", "match", "b", "hash_type", "md5"); err != nil || len(got.Map("minions").String("b")) != 47 {
		t.Errorf("md5: %v", err)
	}
	if err := os.WriteFile(filepath.Join(pki, "master.pub"), []byte(pub), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := made(t, editor, "fun", "key.finger", "match", "*.pub,b"); err != nil || got.Map("local").String("master.pub") != finger || got.Len() != 2 {
		t.Errorf("the master's own key: %v, %v", got.Keys(), err)
	}
	if !slices.Contains(Names(), "key.finger") {
		t.Error("not listed")
	}
}
