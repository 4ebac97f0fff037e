package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
)

// What the options leave out is asked for, in Salt's order.
func TestLogin_Asks(t *testing.T) {
	for _, c := range []struct {
		l       Login
		in, out string
		want    Login
		fails   bool
	}{
		{Login{Eauth: "pam"}, "ann\nsecret\n", "username: password: ", Login{Eauth: "pam", Username: "ann", Password: "secret"}, false},
		{Login{Eauth: "pam", Username: "ann"}, "secret", "password: ", Login{Eauth: "pam", Username: "ann", Password: "secret"}, false},
		{Login{Eauth: "pam", Username: "ann", Password: "x"}, "", "", Login{Eauth: "pam", Username: "ann", Password: "x"}, false},
		{Login{Eauth: "pam", Username: "ann", Given: true}, "", "", Login{Eauth: "pam", Username: "ann", Given: true}, false},
		{Login{Eauth: "pam"}, "ann\n", "username: password: ", Login{Eauth: "pam", Username: "ann"}, true},
	} {
		var out bytes.Buffer
		err := c.l.ask(strings.NewReader(c.in), &out)
		if (err != nil) != c.fails || out.String() != c.out || c.l != c.want {
			t.Errorf("%q: %+v, said %q, %v", c.in, c.l, &out, err)
		}
	}
}

// A user without a key comes with the token of an earlier login; with a key that counts.
func TestLogin_KeptToken(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, "cache")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Options{Addr: "127.0.0.1:1", Cachedir: dir, User: "ann"})
	defer c.Close()
	as := func(l Login) *client.Client {
		t.Helper()
		got, err := l.As(t.Context(), c, strings.NewReader(""), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if as(Login{}) != c {
		t.Error("a login out of nothing")
	}
	file, err := client.TokenFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := (client.Token{Token: "abc"}).Keep(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if as(Login{}) == c {
		t.Error("the token that was kept does not count")
	}
	if err := os.WriteFile(filepath.Join(dir, ".ann_key"), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if as(Login{}) != c {
		t.Error("the token counts before the key")
	}
	if as(Login{Eauth: "pam", Username: "ann", Password: "x"}) == c {
		t.Error("the login of the options does not count")
	}
	for _, l := range []Login{{Keep: true}, {Username: "ann"}, {Password: "x"}} {
		if _, err := l.As(t.Context(), c, strings.NewReader(""), &bytes.Buffer{}); err == nil {
			t.Errorf("%+v without a service is taken", l)
		}
	}
}
