package access

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/momtree/mom/master/auth"
)

// The log names each invalid rule and entry by its place. Options of a section are not users.
func TestFaultsOfExternalAuthAreNamed(t *testing.T) {
	var b bytes.Buffer
	e := NewExternal(ExternalOptions{
		Auth: map[string]any{
			"pam": map[string]any{
				"fred": []any{"ok", "[", map[string]any{"web*": []any{map[string]any{"f": []any{map[string]any{"kwargs": []any{"x"}}}}}}},
				"eve":  "test.ping", "ops%": []any{map[string]any{"N@gone": []any{"ok"}}}, "^model": "a.b.C",
			},
			"ldap": []any{"fred"}, "file": nil,
		},
		Log: slog.New(slog.NewTextHandler(&b, nil)),
	})
	for _, want := range []string{
		"eauth=pam user=fred rule=2", "eauth=pam user=fred rule=3", "kwargs are a mapping", "eauth=pam user=eve", "eauth=pam user=ops% rule=1", "eauth=ldap",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not named in %s", want, &b)
		}
	}
	for _, fine := range []string{"rule=1 err=\"function \\\"ok", "^model", "eauth=file"} {
		if strings.Contains(b.String(), fine) {
			t.Errorf("%s is named in %s", fine, &b)
		}
	}
	if !e.Has("pam") || !e.Has("file") || e.Has("rest") || e.Rules("file", "fred", nil) != nil || e.Rules("pam", "eve", nil) != nil {
		t.Error("an invalid entry gives rules, or a service is unknown")
	}
}

// A token has its stored rules only while keep_acl_in_token is set and its service is configured.
func TestTokenRules(t *testing.T) {
	conf := map[string]any{"pam": map[string]any{"fred": []any{"now"}}}
	kept := []any{"then"}
	for _, c := range []struct {
		keep  bool
		kept  []any
		eauth string
		want  string
	}{{true, kept, "pam", "then"}, {false, kept, "pam", "now"}, {true, nil, "pam", "now"}, {true, kept, "gone", ""}} {
		e := NewExternal(ExternalOptions{Auth: conf, KeepACL: c.keep, Log: quiet})
		if got := sorted(e.TokenRules(c.kept, c.eauth, "fred", nil)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Rules of the login service are added to the user's own entry. The entry `*` applies to users without one. An
// invalid rule allows nothing.
func TestRulesOfALoginService(t *testing.T) {
	conf := map[string]any{"rest": map[string]any{"fred": []any{"own"}, "*": []any{"all"}, "ops%": []any{"group"}}}
	for _, c := range []struct {
		id         auth.Identity
		permissive bool
		want       string
	}{
		{auth.Identity{Name: "fred"}, false, "own"},
		{auth.Identity{Name: "ann"}, false, "all"},
		{auth.Identity{Name: "ann", Rules: []any{"given"}}, false, "given"},
		{auth.Identity{Name: "fred", Rules: []any{"given"}}, false, "given own"},
		{auth.Identity{Name: "ann", Groups: []string{"ops"}, Rules: []any{"given"}}, true, "all given group"},
	} {
		e := NewExternal(ExternalOptions{Auth: conf, Permissive: c.permissive, Log: quiet})
		if got := sorted(e.For("rest", c.id)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.id, got, c.want)
		}
	}
	e := NewExternal(ExternalOptions{Auth: conf, Nodegroups: map[string]any{"web": "web*"}, Log: quiet})
	got := e.For("rest", auth.Identity{Name: "ann", Rules: []any{map[string]any{"N@web": []any{"test.*"}}, 7}})
	if len(got) != 2 || textOf(got[0]) != `{"web*": ["test.*"]}` {
		t.Errorf("%v", got)
	}
}
