package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/options"
)

// exitDenied is Salt's exit code for a failed login.
const exitDenied = 2

// Login holds the options of commands that may use a login (external_auth) in place of the key of a
// local user.
type Login struct {
	Eauth, Username, Password string
	PasswordFile              string // file with the password
	Given                     bool   // a password is given, possibly empty
	Keep                      bool   // -T: keep the token in a file, for later commands
}

// Register adds the options in a group of their own.
func (l *Login) Register(s *options.Set) { l.register(s, "-a ") }

// RegisterLong is Register for a command whose -a is another option.
func (l *Login) RegisterLong(s *options.Set) { l.register(s, "") }

func (l *Login) register(s *options.Set, short string) {
	s.Group("External Authentication")
	s.Text(&l.Eauth, short+"--auth --eauth --external-auth", "NAME", "log in with this service of the master's external_auth: pam, file, ldap, oidc…")
	s.Bool(&l.Keep, "-T --make-token", "keep a token in ~/.salt_token for later commands of this user")
	s.Text(&l.Username, "--username", "NAME", "user to log in as; default: ask")
	s.Func("--password", "TEXT", "password; other users of this machine can see command lines: leave it out to be asked", func(v string) error {
		l.Password, l.Given = v, true
		return nil
	})
	s.Text(&l.PasswordFile, "--password-file", "FILE", "read the password from the first line of this file")
}

// As returns the client with the login: that of the options, or a kept token if this user can read
// no key, otherwise c itself.
func (l *Login) As(ctx context.Context, c *client.Client, in io.Reader, out io.Writer) (*client.Client, error) {
	file, err := client.TokenFile()
	if err != nil {
		return nil, err
	}
	if l.Eauth == "" {
		if l.Keep || l.Username != "" || l.Password != "" || l.Given || l.PasswordFile != "" {
			return nil, &options.Error{Text: "-T, --username and --password need a login service: -a NAME"}
		}
		return kept(c, file)
	}
	if names := c.Logins(); names != nil && !slices.Contains(names, l.Eauth) {
		text := fmt.Sprintf("The specified external authentication system \"%s\" is not available\nAvailable eauth types: %s", l.Eauth, strings.Join(names, ", "))
		return nil, InSaltsWay(Exit(exitDenied, errors.New(text)), text, "")
	}
	if err := l.ask(in, out); err != nil {
		return nil, err
	}
	login := client.Login{Eauth: l.Eauth, Username: l.Username, Password: l.Password}
	if !l.Keep {
		return c.As(login), nil
	}
	t, err := c.MakeToken(ctx, login, 0)
	if err != nil {
		var no *client.Refused
		if errors.As(err, &no) {
			return nil, Exit(exitDenied, errors.New("ERROR: Authentication failed"))
		}
		return nil, err
	}
	if err := t.Keep(file); err != nil {
		return nil, err
	}
	return c.As(client.Login{Token: t.Token}), nil
}

// kept returns a client with the token of an earlier -T if this user can read no key.
func kept(c *client.Client, file string) (*client.Client, error) {
	if c.HasKey() {
		return c, nil
	}
	token, err := client.KeptToken(file)
	if err != nil || token == "" {
		return c, err // the error of the key is the useful one
	}
	return c.As(client.Login{Token: token}), nil
}

// maxPassword bounds the password file, in bytes.
const maxPassword = 64 << 10

// readPassword reads the password from the file of the options.
func (l *Login) readPassword() error {
	switch {
	case l.PasswordFile == "":
		return nil
	case l.Password != "":
		return &options.Error{Text: "--password and --password-file exclude each other"}
	}
	f, err := os.Open(l.PasswordFile)
	if err != nil {
		return fmt.Errorf("--password-file: %w", err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxPassword)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("--password-file: %w", err)
	}
	if l.Password = strings.TrimRight(line, "\r\n"); l.Password == "" {
		return fmt.Errorf("--password-file: the first line of %s is empty", l.PasswordFile)
	}
	return nil
}

// ask asks the user for missing values. A password is not echoed.
func (l *Login) ask(in io.Reader, out io.Writer) error {
	if err := l.readPassword(); err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	for _, q := range []struct {
		what   string
		to     *string
		secret bool
	}{{"username", &l.Username, false}, {"password", &l.Password, true}} {
		if *q.to != "" || q.secret && l.Given {
			continue
		}
		if _, err := fmt.Fprint(out, q.what+": "); err != nil {
			return err
		}
		var text string
		var err error
		if q.secret && terminal.Is(in) {
			var b []byte
			b, err = term.ReadPassword(int(terminal.File(in).Fd()))
			text = string(b)
			_, _ = fmt.Fprintln(out)
		} else if text, err = lines.ReadString('\n'); errors.Is(err, io.EOF) && text != "" {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("read the %s: %w", q.what, err)
		}
		*q.to = strings.TrimRight(text, "\r\n")
	}
	return nil
}
