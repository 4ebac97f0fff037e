package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Options of login services are for masters, and the secrets among them are recognized at any
// place.
func TestOptionsOfLogins(t *testing.T) {
	KnowLogin([]string{"auth.rack", "auth.rack.server", "auth.rack.key", "racksecret"}, []string{"auth.rack.key", "racksecret"})
	lines := "auth.rack.server: x\nauth.rack.sever: x\nauth.rack: {key: y}\nracksecret: z\n"
	_, w := master(t, "master", lines)
	if want := []string{"master:2: unknown option auth.rack.sever; did you mean auth.rack.server?"}; !cmp.Equal(warningTexts(w), want) {
		t.Error(cmp.Diff(want, warningTexts(w)))
	}
	_, w, err := loadMinion(files(t, "minion", "id: m\n"+lines), machine("h"), false)
	if err != nil || len(warningTexts(w)) != 4 {
		t.Errorf("a minion: %q, %v", warningTexts(w), err)
	}
	for _, c := range []struct {
		name  string
		value any
		want  bool
	}{
		{"racksecret", "z", true},
		{"racksecret", "", false},
		{"auth.rack.key", "y", true},
		{"auth.rack.server", "x", false},
		{"auth.rack", map[string]any{"key": "y"}, true},
		{"auth.rack", map[string]any{"server": "x"}, false},
		{"auth.rack", map[string]any{"key": nil}, false},
	} {
		if got := holdsSecret(setting{name: c.name, value: c.value}); got != c.want {
			t.Errorf("%s: %v: %t", c.name, c.value, got)
		}
	}
}
