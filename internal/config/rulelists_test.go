package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An entry that cannot be understood stays as one that allows nothing: without it, sudo_acl
// would hold nobody.
func TestRuleLists(t *testing.T) {
	m, w := master(t, "master", "sudo_acl: true\npublisher_acl: {fred: test.ping, anna: ~, joe: [test.ping]}\npeer: {x: y}\n")
	want := map[string]any{"fred": []any{}, "anna": []any{}, "joe": []any{"test.ping"}}
	if !cmp.Equal(m.PublisherAcl, want) || len(w) != 3 || !cmp.Equal(m.Peer, map[string]any{"x": []any{}}) {
		t.Errorf("%v, %v, %v", m.PublisherAcl, m.Peer, w)
	}
}

func TestReadReactors_Faults(t *testing.T) {
	got := ReadReactors([]any{map[string]any{"a": []any{"x", int64(1)}}, "b", map[string]any{"c": nil}, map[string]any{"d": "y"}})
	want := Reactors{
		List: []Reaction{{Tag: "a", SLS: []string{"x"}}, {Tag: "d", SLS: []string{"y"}}},
		Faults: []string{
			"entry 1, tag a: wants a list of files, has the number 1 in it",
			`entry 2 wants one tag with its files, has the text "b"`,
			"entry 3, tag c: wants a list of files, has nothing",
		},
	}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
