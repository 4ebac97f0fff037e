package auth

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// restAt serves one handler over TLS and returns a service that asks it.
func restAt(t *testing.T, h http.HandlerFunc) *restService {
	t.Helper()
	srv := httptest.NewTLSServer(h)
	t.Cleanup(srv.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openREST(Config{Entries: map[string]any{"^url": srv.URL + "/check?key=hush", "^ca_file": ca}, Values: map[string]any{"keep_acl_in_token": true}, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var fred = Credentials{Eauth: "rest", Username: "fred é", Password: "a&b=c"}

// Name and password go out as a form; the answer is the list of rules.
func TestREST(t *testing.T) {
	for _, c := range []struct {
		name, kind, body string
		status           int
		rules            []any
		denied, fails    bool
	}{
		{
			"rules", "application/json; charset=utf-8", `["test.*", {"web*": ["state.apply", {"cmd.run": {"args": ["uptime"]}}]}, "@runner"]`, 200,
			[]any{"test.*", map[string]any{"web*": []any{"state.apply", map[string]any{"cmd.run": map[string]any{"args": []any{"uptime"}}}}}, "@runner"},
			false, false,
		},
		{"none", "application/json", "null", 200, nil, false, false},
		{"an empty list", "application/json", "[]", 200, []any{}, false, false},
		{"no type", "", `["test.*"]`, 200, []any{"test.*"}, false, false},
		{"nothing", "application/json", "", 200, nil, false, true},
		{"refused", "application/json", `[".*"]`, 401, nil, true, false},
		{"another success", "application/json", `[".*"]`, 201, nil, true, false},
		{"broken service", "application/json", `[".*"]`, 503, nil, false, true},
		{"no list", "application/json", `{"fred": [".*"]}`, 200, nil, false, true},
		{"no JSON", "text/html", "<html>welcome</html>", 200, nil, false, true},
		{"broken JSON", "application/json", `[".*"`, 200, nil, false, true},
		{"a long answer", "application/json", `["` + strings.Repeat("x", maxRESTAnswer) + `"]`, 200, nil, false, true},
		{"many rules", "application/json", "[" + strings.Repeat(`"a",`, maxRESTRules) + `"a"]`, 200, nil, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := restAt(t, func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.PostForm.Get("username") != fred.Username || r.PostForm.Get("password") != fred.Password {
					t.Errorf("%s with %v, %v", r.Method, r.PostForm, err)
				}
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				} else {
					w.Header()["Content-Type"] = nil
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			})
			id, err := s.Check(t.Context(), fred)
			if errors.Is(err, ErrDenied) != c.denied || (err != nil) != (c.denied || c.fails) {
				t.Fatalf("%v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), fred.Password) || id.Name != "" || id.Rules != nil) {
				t.Errorf("%+v, %v", id, err)
			}
			if err == nil && (id.Name != fred.Username || !cmp.Equal(id.Rules, c.rules)) {
				t.Errorf("%+v", id)
			}
		})
	}
}

// The password goes to the configured address only.
func TestRESTFollowsNoRedirect(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := restAt(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := s.Check(t.Context(), fred); !errors.Is(err, ErrDenied) || asked {
		t.Errorf("%v, the other server was asked: %v", err, asked)
	}
}

// A service that does not answer, or is not the one that the certificate names, lets nobody in.
func TestRESTUnavailable(t *testing.T) {
	asked := make(chan struct{})
	s := restAt(t, func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // a server notices the end of a request after its body
		close(asked)
		<-r.Context().Done()
	})
	if s.http.Timeout != checkTime {
		t.Errorf("the time limit is %v", s.http.Timeout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := s.Check(ctx, fred); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDenied) {
		t.Errorf("silent: %v", err)
	}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked in spite of its certificate") }))
	srv.Config.ErrorLog = nil
	strange, err := openREST(Config{Entries: map[string]any{"^url": srv.URL}, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strange.Check(t.Context(), fred); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("unknown authority: %v", err)
	}
	srv.Close()
	if _, err := strange.Check(t.Context(), fred); err == nil || errors.Is(err, ErrDenied) || strings.Contains(err.Error(), srv.URL) {
		t.Errorf("away: %v", err)
	}
}

// A user without an entry logs in with the rules of the service; its token has them with
// keep_acl_in_token.
func TestRESTRulesAreThoseOfTheUser(t *testing.T) {
	var answer string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	}))
	defer srv.Close()
	cf := load(t, "keep_acl_in_token: true\nexternal_auth: {rest: {^url: '"+srv.URL+"', ann: [sys.doc]}}\n")
	s, err := New(Options{Config: cf, Rules: rulesOf(cf), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, answer string
		want         []any
	}{
		{"fred", `["test.*"]`, []any{"test.*"}},
		{"ann", `["test.*"]`, []any{"sys.doc", "test.*"}},
		{"ann", "null", []any{"sys.doc"}},
		{"fred", "[]", nil},
	} {
		answer = c.answer
		tok, err := s.Login(t.Context(), Credentials{Eauth: "rest", Username: c.user, Password: "pw", Prompt: true}, time.Hour)
		if c.want == nil {
			if !errors.Is(err, ErrDenied) {
				t.Errorf("%s without rules: %v", c.user, err)
			}
			continue
		}
		if err != nil || !cmp.Equal(tok.AuthList, c.want) {
			t.Errorf("%s: %v, %v", c.user, tok.AuthList, err)
		}
	}
}

func TestRESTOptions(t *testing.T) {
	refusedWith(t, "rest", nil, nil, "^url: is missing")
	refusedWith(t, "rest", map[string]any{"^url": "ftp://x"}, nil, "^url: is neither")
	refusedWith(t, "rest", map[string]any{"^url": "https://x", "^ca_file": "/nonexistent"}, nil, "^ca_file: ")
	refusedWith(t, "rest", map[string]any{"^url": "https://x", "^uri": "y"}, nil, "unknown option ^uri")
	for url, warned := range map[string]bool{"http://sso.example.org/x": true, "https://sso.example.org/x": false, "http://127.0.0.1:8080/": false} {
		var log logged
		if _, err := openREST(Config{Entries: map[string]any{"^url": url}, Log: log.logger()}); err != nil {
			t.Error(err)
		}
		if strings.Contains(log.String(), "unencrypted") != warned {
			t.Errorf("%s: %s", url, &log)
		}
	}
}

// FuzzRESTRules: any answer is a list of bounded length, nothing, or an error.
func FuzzRESTRules(f *testing.F) {
	for _, s := range []string{`["a", {"b": ["c"]}]`, "null", "", "[", `{"a": 1}`, `[[[[1e9]]]]`} {
		f.Add("application/json", []byte(s))
	}
	f.Add("text/plain", []byte("[]"))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		rules, err := restRules(kind, body)
		if err != nil && rules != nil || len(rules) > maxRESTRules {
			t.Errorf("%d rules, %v", len(rules), err)
		}
	})
}
