package command

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
)

// A refusal is an error unless a script asks for Salt's behaviour.
func TestInSaltsWay(t *testing.T) {
	f := Frame{Login: Login{Eauth: "pam", Username: "ann"}}
	const text = "Authentication failure of type \"eauth\" occurred for user ann.\n"
	refused := f.Refusal(2, &client.Refused{Name: "EauthAuthenticationError", Message: `Authentication failure of type "eauth" occurred`})
	for _, c := range []struct {
		name, env   string
		err         error
		code        int
		out, errOut string
	}{
		{"refused", "", refused, 2, "", text},
		{"refused, in Salt's way", "1", refused, 0, text, ""},
		{"beside another error", "1", errors.Join(InSaltsWay(errors.New("bad"), "", "text"), nil), 0, "", "text\n"},
		{"another error", "1", errors.New("bad"), 1, "", "bad\n"},
	} {
		t.Setenv(SaltWay, c.env)
		var out, errOut bytes.Buffer
		cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return c.err }}
		if code := Run(cmd, nil, strings.NewReader(""), &out, &errOut); code != c.code || out.String() != c.out || errOut.String() != c.errOut {
			t.Errorf("%s: exit %d, %q, %q", c.name, code, &out, &errOut)
		}
	}
}

// A login service missing in the configuration is refused with Salt's text before the user is
// asked for anything.
func TestUnknownLoginService(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte("root_dir: "+dir+"\nexternal_auth: {pam: {a: ['.*']}, auto: {a: ['.*']}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := client.FromConfig(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := Login{Eauth: "wrongeauth", Username: "ann", Password: "x", Given: true}
	c := client.New(o)
	defer func() { _ = c.Close() }()
	_, err = l.As(t.Context(), c, strings.NewReader(""), &bytes.Buffer{})
	if err == nil || Code(err) != exitDenied ||
		err.Error() != "The specified external authentication system \"wrongeauth\" is not available\nAvailable eauth types: auto, pam" {
		t.Errorf("%v", err)
	}
}
