package auth

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestDrivers(t *testing.T) {
	if got := strings.Join(slices.Sorted(maps.Keys(drivers)), " "); got != "auto file ldap oidc pam rest sharedsecret" {
		t.Errorf("there are %s", got)
	}
	open := func(Config) (Backend, error) { return auto{}, nil }
	for want, d := range map[string]Driver{
		"lacks a name, code or documentation": {Name: "x", Open: open},
		"registered twice":                    {Name: "auto", Doc: "Again.", Open: open},
		`option "auth.x.y" lacks`:             {Name: "x", Doc: "Reads.", Options: []Option{{Name: "auth.x.y", Type: "string"}}, Open: open},
		`option "auth.x.t" lacks`:             {Name: "x", Doc: "Reads.", Options: []Option{{Name: "auth.x.t", Doc: "Text."}}, Open: open},
		`option "" lacks`:                     {Name: "x", Doc: "Reads.", Options: []Option{{Type: "string", Doc: "Text."}}, Open: open},
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, want) {
					t.Errorf("%v: %q, want %q", d.Name, p, want)
				}
			}()
			Register(d)
		}()
	}
}

// All faults in the configuration are reported at once.
func TestFaultsOfTheConfiguration(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  []string
	}{
		{"external_auth: {sharedsecret: {b: ['.*']}, file: {c: ['.*']}, auto: 7}\n", []string{
			"external_auth: sharedsecret: set sharedsecret to a long text", "external_auth: file: ^filename: is missing",
		}},
		{"hash_type: sha1\nexternal_auth: {auto: {'^x': y}}\n", []string{"unknown option ^x: it has none there"}},
		{"sharedsecret: sdb://x\nexternal_auth: {sharedsecret: {b: ['.*']}}\n", []string{"in quotes"}},
		{"sharedsecret: 12345\nexternal_auth: {sharedsecret: {b: ['.*']}}\n", []string{"in quotes"}},
	} {
		cf := load(t, c.lines)
		_, err := New(Options{Config: cf, Rules: rulesOf(cf), Log: quiet})
		if err == nil {
			t.Errorf("%s: no error", c.lines)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q in it", c.lines, err, w)
			}
		}
	}
	for _, change := range []func(s *Options){
		func(o *Options) { o.Config.EauthTokens = "rediscluster" },
		func(o *Options) { o.Config.HashType = "crc" },
	} {
		o := Options{Config: load(t, autoOnly), Log: quiet}
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "tokens") {
			t.Errorf("%v", err)
		}
	}
}

// Salt starts with an unknown login service in the configuration; nobody can log in with it.
func TestAnUnknownLoginServiceAdmitsNobody(t *testing.T) {
	var logged strings.Builder
	cf := load(t, "external_auth: {yubico: {a: ['.*']}, auto: {a: ['.*']}}\n")
	s, err := New(Options{Config: cf, Rules: rulesOf(cf), Log: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if want := "use one of auto, file, ldap, oidc, pam, rest, sharedsecret"; !strings.Contains(logged.String(), want) {
		t.Errorf("log %q, want %q in it", logged.String(), want)
	}
	if _, err := s.Login(t.Context(), Credentials{Eauth: "yubico", Username: "a", Password: "pw", Prompt: true}, 0); err == nil {
		t.Error("a user logs in by a service that does not exist")
	}
}

// The configuration accepts the options, and invalid ones are reported.
func TestOptionsAreKnown(t *testing.T) {
	v := topValues(Config{Values: map[string]any{"auth.x": map[string]any{"a": "1", "typo": 1}, "auth.x.a": "2"}}, "auth.x", []string{"auth.x.a"})
	if got := v.text("a", ""); got != "2" {
		t.Errorf("a is %q: what stands alone goes first", got)
	}
	if err := v.err(); err == nil || err.Error() != "auth.x.typo: is not known" {
		t.Error(err)
	}
	v = topValues(Config{Values: map[string]any{"auth.x": 7}}, "auth.x", nil)
	if err := v.err(); err == nil || err.Error() != "auth.x: must be a mapping of options" {
		t.Error(err)
	}
}

// As in Salt, a section that is not a mapping does not prevent the start: nobody can log in with
// that service.
func TestSectionWithoutMapping(t *testing.T) {
	cf := load(t, "external_auth: {auto: 7}\n")
	s, err := New(Options{Config: cf, Rules: rulesOf(cf), Log: quiet})
	if err != nil || len(s.backends) != 0 {
		t.Errorf("%v, %v", s, err)
	}
}
