package salt

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// What an API may do instead of answering ends the command with words that say so, and the
// password is in none of them.
func TestAfar_Failures(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	pass := filepath.Join(home, "pass")
	if err := os.WriteFile(pass, []byte("hidden-word"), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func(do http.HandlerFunc) string {
		s := httptest.NewServer(do)
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	insecure := "[WARNING ] --api-insecure: the identity of "
	for _, c := range []struct {
		name, url string
		more      []string
		code      int
		has       string
	}{
		{"nobody is there", gone.URL, nil, 2, "the master does not answer"},
		{"a redirect", serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere/", http.StatusFound)
		}), nil, 2, "the API redirects, which is not followed"},
		{"a page", serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }), nil, 2, "is not JSON; is this the address of an API?"},
		{"nonsense", serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }), nil, 2, "returned no token; is this the address of an API?"},
		{"refused", serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), nil, 2, "ERROR: Authentication failed"},
		{"not encrypted", "http://192.0.2.1:8000", nil, 64, "is not encrypted"},
		{"insecure", gone.URL, []string{"--api-insecure"}, 2, insecure},
		{"no authority", gone.URL, []string{"--api-ca", "/nosuch"}, 64, "/nosuch"},
		{"a password in the address", "https://ann:" + "hidden-word@192.0.2.1", nil, 64, "must not contain a name or password"},
		{"a password in the address, insecure", "https://ann:" + "hidden-word@192.0.2.1", []string{"-v", "--api-insecure"}, 64, "must not contain a name or password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"-c", home, "--api", c.url, "-a", "pam", "--username", "ann", "--password-file", pass, "*", "test.ping"}, c.more...)
			r := momtest.Run(Command(), "", args...)
			if r.Code != c.code || !strings.Contains(r.Err, c.has) || r.Out != "" {
				t.Errorf("%v\nwant exit %d and %q", r, c.code, c.has)
			}
			if strings.Contains(r.Err, "hidden-word") {
				t.Errorf("the password is shown: %v", r)
			}
			if strings.Contains(r.Err, insecure) != (len(c.more) > 0 && c.more[0] == "--api-insecure") {
				t.Errorf("the warning: %v", r)
			}
		})
	}
}
