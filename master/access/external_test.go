package access

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
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
	auth := map[string]any{"pam": map[string]any{"fred": []any{"now"}}}
	kept := []any{"then"}
	for _, c := range []struct {
		keep  bool
		kept  []any
		eauth string
		want  string
	}{{true, kept, "pam", "then"}, {false, kept, "pam", "now"}, {true, nil, "pam", "now"}, {true, kept, "gone", ""}} {
		e := NewExternal(ExternalOptions{Auth: auth, KeepACL: c.keep, Log: quiet})
		if got := sorted(e.TokenRules(c.kept, c.eauth, "fred", nil)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
