package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverride(t *testing.T) {
	for _, c := range []struct {
		text       string
		alice, bob bool // by pam
		held       any  // the result of Get
		fault      string
	}{
		{"", false, false, false, ""},
		{"token_expire_user_override: true\n", true, true, true, ""},
		{"token_expire_user_override: false\n", false, false, false, ""},
		{"token_expire_user_override: {pam: [alice], ldap: [bob]}\n", true, false, map[string]any{"pam": []any{"alice"}, "ldap": []any{"bob"}}, ""},
		{"token_expire_user_override:\n  - pam: bob\n", false, true, map[string]any{"pam": []any{"bob"}}, ""},
		{"token_expire_user_override: 3\n", false, false, nil, "wants true, false, or a mapping of login services to lists of users"},
		{"token_expire_user_override: {pam: [1]}\n", false, false, nil, "pam: wants a list of users"},
		{"token_expire_user_override: {pam: 1}\n", false, false, nil, "pam: wants a list of users"},
	} {
		m, _, err := loadMaster(files(t, "master", c.text), machine("h"))
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), "master:1: token_expire_user_override: "+c.fault) {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := m.TokenExpireUserOverride
		if o.Allows("pam", "alice") != c.alice || o.Allows("pam", "bob") != c.bob {
			t.Errorf("%q: %+v", c.text, o)
		}
		if held, ok := m.Get("token_expire_user_override"); !ok || !cmp.Equal(held, c.held) {
			t.Errorf("%q: %v", c.text, cmp.Diff(c.held, held))
		}
	}
}
