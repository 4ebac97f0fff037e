package remote

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
)

// A token file is readable by its user only, and used only for the API that issued the token.
func TestKept(t *testing.T) {
	f, other := startAPI(t), startAPI(t)
	c, file := f.client(), filepath.Join(t.TempDir(), "token")
	if got, err := c.Kept(file); err != nil || got.Token != "" {
		t.Errorf("out of no file: %+v, %v", got, err)
	}
	want := client.Token{Token: testToken, Name: "ann", Eauth: "pam", Start: time.Unix(1700000000, 500e6).UTC(), Expire: time.Unix(1800000000, 0).UTC()}
	if err := os.WriteFile(file, nil, 0o644); err != nil { // the mode is tightened
		t.Fatal(err)
	}
	if err := c.Keep(file, want); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	got, err := c.Kept(file)
	if err != nil || got.Token != want.Token || got.Name != "ann" || !got.Expire.Equal(want.Expire) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := other.client().Kept(file); err != nil || got.Token != "" {
		t.Errorf("the token goes to another host: %+v, %v", got, err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Kept(file); err == nil || !strings.Contains(err.Error(), "other users may read") {
		t.Errorf("a token file that other users may read: %v", err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "bad"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Kept(filepath.Join(filepath.Dir(file), "bad")); err == nil {
		t.Error("what is no token is one")
	}
}

func FuzzKept(f *testing.F) {
	f.Add([]byte(`{"token": "t", "expire": 1e300, "url": "u"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if k, err := parseKept(b); err == nil {
			unix(k.Expire)
			unix(k.Start)
		}
	})
}

func TestLogin(t *testing.T) {
	f := startAPI(t)
	c := f.client()
	f.answers("POST /login", `{"return": [{"token": "`+testToken+`", "start": 1.5, "expire": 2.5, "user": "ann", "eauth": "pam", "perms": [".*", {"a": ["b"]}]}]}`)
	tok, err := c.Login(t.Context(), client.Login{Username: "ann", Password: "x", Eauth: "pam"}, time.Hour)
	if err != nil || tok.Token != testToken || tok.Name != "ann" || len(tok.Perms) != 2 || !tok.Expire.Equal(time.Unix(2, 500e6)) {
		t.Errorf("%+v, %v", tok, err)
	}
	f.answers("POST /login", `{"return": [{}]}`)
	if _, err := c.Login(t.Context(), client.Login{}, 0); err == nil {
		t.Error("no token is a login")
	}
	f.fails("POST /login", 401, `{"return": "Could not authenticate using provided credentials"}`)
	if _, err := c.Login(t.Context(), client.Login{}, 0); !isRefused("EauthAuthenticationError")(err) {
		t.Errorf("%v", err)
	}
	f.answers("GET /whoami", `{"return": [{"user": "ann", "eauth": "pam", "perms": [], "groups": ["ops"], "start": 1, "expire": 2}]}`)
	if tok, err := c.Holder(t.Context()); err != nil || tok.Name != "ann" || tok.Groups[0] != "ops" || tok.Token != testToken {
		t.Errorf("%+v, %v", tok, err)
	}
	// Close revokes a token made with For, and no other.
	var shown []string
	f.handles("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Header.Get("X-Auth-Token"))
		_, _ = w.Write([]byte(`{"return": "Your token has been cleared"}`))
	})
	_, _ = c.With("kept").Close(), c.For("used").Close()
	if len(shown) != 1 || shown[0] != "used" {
		t.Errorf("%q were ended", shown)
	}
}
