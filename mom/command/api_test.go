package command

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/mom/options"
)

const pepperrc = `
; of pepper
[main]
SALTAPI_URL = https://main:8000/
SALTAPI_USER=ann
saltapi_pass: a=secret:one
SALTAPI_EAUTH=pam
[other]
SALTAPI_URL=https://other:8000
SALTAPI_USER=bob
SALTAPI_PASS=secret
[empty]
`

// Where the API is and who logs in: the line before the environment, that before the file,
// and a password to no other host than it is named with.
func TestAPI_Place(t *testing.T) {
	master := t.TempDir()
	if err := os.WriteFile(filepath.Join(master, "master"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ann := client.Login{Username: "ann", Password: "a=secret:one", Eauth: "pam"}
	for _, c := range []struct {
		name   string
		a      API
		env    map[string]string
		master bool
		want   place
		fails  string
	}{
		{"the file, where no master is", API{}, nil, false, place{"https://main:8000/", ann}, ""},
		{"a master is here", API{}, nil, true, place{}, ""},
		{"the line", API{url: "https://main:8000"}, nil, true, place{"https://main:8000", ann}, ""},
		{"another host than the file's", API{url: "https://elsewhere"}, nil, true, place{"https://elsewhere", client.Login{}}, ""},
		{"a section", API{profile: "other"}, nil, true, place{"https://other:8000", client.Login{Username: "bob", Password: "secret", Eauth: "auto"}}, ""},
		{"a section before the environment", API{profile: "other"}, map[string]string{"SALTAPI_URL": "https://env"}, true, place{"https://other:8000", client.Login{Username: "bob", Password: "secret", Eauth: "auto"}}, ""},
		{"the environment", API{}, map[string]string{"SALTAPI_URL": "https://env", "SALTAPI_USER": "eve", "SALTAPI_PASS": "p", "SALTAPI_EAUTH": "ldap"}, true, place{"https://env", client.Login{Username: "eve", Password: "p", Eauth: "ldap"}}, ""},
		{"the line before the environment", API{url: "https://line"}, map[string]string{"SALTAPI_URL": "https://env"}, true, place{"https://line", client.Login{}}, ""},
		{"none", API{url: "none"}, map[string]string{"SALTAPI_URL": "https://env"}, false, place{}, ""},
		{"no such section", API{profile: "nosuch"}, nil, true, place{}, "no section [nosuch]"},
		{"a section without an address", API{profile: "empty"}, nil, true, place{}, "has no SALTAPI_URL"},
		{"an authority without an address", API{ca: "x"}, nil, true, place{}, "--api-ca and --api-insecure need --api URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			if err := os.WriteFile(filepath.Join(home, ".pepperrc"), []byte(pepperrc), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"SALTAPI_URL", "SALTAPI_USER", "SALTAPI_PASS", "SALTAPI_EAUTH"} {
				t.Setenv(name, c.env[name])
			}
			dir := t.TempDir()
			if c.master {
				dir = master
			}
			err := c.a.settle(dir)
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Fatalf("%v, want %q", err, c.fails)
			}
			if c.a.at != c.want {
				t.Errorf("%+v, want %+v", c.a.at, c.want)
			}
		})
	}
}

func TestParseINI(t *testing.T) {
	for text, want := range map[string]string{
		"a=b":              "line 1 is before the first section",
		"[main]\nhidden\n": "line 2 is neither",
		"[main]\n=x\n":     "line 2 is neither",
	} {
		if _, err := parseINI([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	m, err := parseINI([]byte("[a]\r\nK = 1\r\n  2\r\n#c\r\n[b]\nk: x=y\n[a]\nL=\n"))
	if err != nil || m["a"]["k"] != "1\n2" || m["b"]["k"] != "x=y" || m["a"]["l"] != "" || len(m["a"]) != 2 {
		t.Errorf("%q, %v", m, err)
	}
}

func FuzzParseINI(f *testing.F) {
	f.Add([]byte(pepperrc))
	f.Add([]byte("[\n]\n[]\n=\n a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseINI(b)
		if err != nil && m != nil {
			t.Error("an error and a result")
		}
		for _, section := range m {
			for k := range section {
				if k != strings.ToLower(k) {
					t.Errorf("name %q", k)
				}
			}
		}
	})
}

// apiServer takes the password "right" of any user, and counts logins and logouts.
func apiServer(t *testing.T) (url string, counts map[string]int) {
	t.Helper()
	const token = "0123456789abcdef0123456789abcdef"
	counts = map[string]int{}
	holds := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		counts[r.URL.Path]++
		fail := func() {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"status": 401, "return": "No permission -- see authorization schemes"}`))
		}
		switch r.URL.Path {
		case "/login":
			if !strings.Contains(string(b), `"right"`) {
				fail()
				return
			}
			holds = true
			_, _ = w.Write([]byte(`{"return": [{"token": "` + token + `", "user": "ann", "eauth": "pam", "start": 1, "expire": 9999999999}]}`))
		case "/whoami":
			if !holds || r.Header.Get("X-Auth-Token") != token {
				fail()
				return
			}
			_, _ = w.Write([]byte(`{"return": [{"user": "ann"}]}`))
		case "/logout":
			holds = false
			_, _ = w.Write([]byte(`{"return": ""}`))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, counts
}

// The ways to log in: a file, the terminal, a token that was kept, and nothing at all.
func TestAPI_Login(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	url, counts := apiServer(t)
	c, err := remote.New(remote.Options{URL: url, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	file := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(file, []byte("right\nother"), 0o600); err != nil {
		t.Fatal(err)
	}
	login := func(l Login, in string) (*remote.Client, string, error) {
		a := API{at: place{url: url}}
		var out bytes.Buffer
		as, err := a.login(t.Context(), c, &l, strings.NewReader(in), &out)
		return as, out.String(), err
	}
	// None of these keeps anything: the login ends with the command.
	for _, l := range []struct {
		l       Login
		in, out string
	}{
		{Login{Eauth: "pam", Username: "ann", PasswordFile: file}, "", ""},
		{Login{Eauth: "pam", Username: "ann", Password: "right"}, "", ""},
		{Login{Eauth: "pam"}, "ann\nright\n", "username: password: "},
		{Login{Username: "ann"}, "right\n", "password: "},
	} {
		as, out, err := login(l.l, l.in)
		if err != nil || out != l.out {
			t.Fatalf("%+v: %q, %v", l.l, out, err)
		}
		before := counts["/logout"]
		if _ = as.Close(); counts["/logout"] != before+1 {
			t.Errorf("%+v: the login stays", l.l)
		}
	}
	if _, _, err := login(Login{Eauth: "pam", Username: "ann", Password: "wrong"}, ""); Code(err) != exitDenied || err.Error() != "ERROR: Authentication failed" {
		t.Errorf("a wrong password: %v", err)
	}
	if _, _, err := login(Login{}, ""); Code(err) != exitDenied || !strings.Contains(err.Error(), "no login for") {
		t.Errorf("nothing: %v", err)
	}
	var wrong *options.Error
	if _, _, err := login(Login{Username: "ann", Password: "x", PasswordFile: file}, ""); !errors.As(err, &wrong) {
		t.Errorf("two passwords: %v", err)
	}
	if _, _, err := login(Login{Username: "ann", PasswordFile: "/nosuch"}, ""); err == nil {
		t.Error("a file that is not there has a password")
	}
	// What is kept serves later commands, until it is revoked.
	if _, _, err := login(Login{Username: "ann", Password: "right", Keep: true}, ""); err != nil {
		t.Fatal(err)
	}
	before := counts["/login"]
	as, _, err := login(Login{}, "")
	if err != nil || counts["/login"] != before {
		t.Fatalf("the token that was kept does not count: %v", err)
	}
	a := API{at: place{url: url, login: client.Login{Username: "bob", Password: "wrong", Eauth: "pam"}}}
	if _, err := a.login(t.Context(), c, &Login{}, strings.NewReader(""), io.Discard); Code(err) != exitDenied {
		t.Errorf("the token of another user is taken: %v", err)
	}
	logouts := counts["/logout"]
	if _ = as.Close(); counts["/logout"] != logouts {
		t.Error("a kept login ends with the command")
	}
	if err := as.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := login(Login{}, ""); Code(err) != exitDenied {
		t.Errorf("a token that was revoked: %v", err)
	}
}
