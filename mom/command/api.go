package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/options"
)

// API holds the options of commands that can ask a remote master through its REST API.
type API struct {
	// Expected makes the nodes report who has to answer, for --progress.
	Expected bool

	url, ca, profile string
	insecure         bool

	settled bool
	at      place
}

// place is the address of the API, and the login as far as it is known.
type place struct {
	url   string // "": the master of this machine
	login client.Login
}

// none is the address that stands for the master of this machine.
const none = "none"

// defaultProfile is the section of ~/.pepperrc to read, as for pepper.
const defaultProfile = "main"

// Register adds the options to a command.
func (a *API) Register(s *options.Set) {
	s.Group("REST API Options")
	s.Text(&a.url, "--api", "URL", "ask a remote master through its REST API, such as https://top:8000; URL,URL: several tops that act as one, the next is used when one cannot be reached; default: SALTAPI_URL, and on a machine without a master ~/.pepperrc; none: the master of this machine")
	s.Text(&a.ca, "--api-ca", "FILE", "certificate authorities of the API, in PEM; default: those of the system")
	s.Bool(&a.insecure, "--api-insecure", "accept any certificate of the API, and http: anyone on the way can read and change everything")
	s.Text(&a.profile, "--api-profile", "NAME", "the section of ~/.pepperrc with the address of the API and the login; default: main")
}

// settle determines the address of the API: from the command line, else the environment, else
// ~/.pepperrc if requested or if this machine has no master. The login comes from the environment, and
// from the file if it is for this address.
func (a *API) settle(dir string) error {
	if a.settled {
		return nil
	}
	a.settled = true
	rc, err := readPepperrc()
	if err != nil {
		return err
	}
	section := rc[cmp.Or(a.profile, defaultProfile)]
	if a.profile != "" && section == nil {
		return fmt.Errorf("--api-profile: ~/.pepperrc has no section [%s]", a.profile)
	}
	if a.profile != "" && section["saltapi_url"] == "" {
		return fmt.Errorf("--api-profile: the section [%s] of ~/.pepperrc has no SALTAPI_URL", a.profile)
	}
	url := a.url
	if url == "" && a.profile == "" {
		url = os.Getenv("SALTAPI_URL")
	}
	if url == none {
		return nil
	}
	if url == "" && (a.profile != "" || !hasMaster(dir)) {
		url = section["saltapi_url"]
	}
	if url == "" {
		if a.ca != "" || a.insecure {
			return &options.Error{Text: "--api-ca and --api-insecure need --api URL"}
		}
		return nil
	}
	a.at.url = url
	//mutant:remote-password-of-another-host
	if strings.TrimSuffix(section["saltapi_url"], "/") != strings.TrimSuffix(url, "/") {
		section = nil // a password belongs to the host of its section
	}
	a.at.login = client.Login{
		Username: cmp.Or(os.Getenv("SALTAPI_USER"), section["saltapi_user"]),
		Password: cmp.Or(os.Getenv("SALTAPI_PASS"), section["saltapi_pass"]),
		Eauth:    cmp.Or(os.Getenv("SALTAPI_EAUTH"), section["saltapi_eauth"]),
	}
	if a.at.login.Username != "" && a.at.login.Eauth == "" {
		a.at.login.Eauth = "auto" // pepper's default
	}
	return nil
}

func hasMaster(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "master"))
	return err == nil || !errors.Is(err, os.ErrNotExist)
}

// open returns the master behind the API, logged in.
func (a *API) open(w *Work, l *Login) (*remote.Client, error) {
	c, err := remote.New(remote.Options{URL: a.at.url, CA: a.ca, Insecure: a.insecure, Expected: a.Expected, Log: w.Log})
	if err != nil {
		return nil, Exit(ExitUsage, err)
	}
	if a.insecure {
		w.warn("--api-insecure: the identity of %s is not verified; anyone on the way can read and change everything, the password too", terminal.Line(c.URL()))
	}
	as, err := a.login(w.Cmd.Context(), c, l, w.Cmd.InOrStdin(), w.Stderr)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return as, nil
}

// renewal is how long a kept token must remain valid to be used, as for pepper.
const renewal = 30 * time.Second

// login returns the client with a login: that of the options, else a kept token, else that of
// environment and file, else it asks the user.
func (a *API) login(ctx context.Context, c *remote.Client, l *Login, in io.Reader, out io.Writer) (*remote.Client, error) {
	file, err := remote.TokenFile()
	if err != nil {
		return nil, err
	}
	if l.Eauth == "" && l.Username == "" && l.Password == "" && l.PasswordFile == "" {
		if kept, err := a.kept(ctx, c, file); err != nil || kept != nil {
			return kept, err
		}
	}
	own := *l
	if own.Username == "" || own.Username == a.at.login.Username { // a password belongs to one user
		own.Username = cmp.Or(own.Username, a.at.login.Username)
		if own.PasswordFile == "" {
			own.Password = cmp.Or(own.Password, a.at.login.Password)
		}
		own.Eauth = cmp.Or(own.Eauth, a.at.login.Eauth)
	}
	own.Eauth = cmp.Or(own.Eauth, "pam")
	if own.Username == "" && !terminal.Is(in) && l.Eauth == "" {
		return nil, Exit(exitDenied, fmt.Errorf("no login for %s; use -a NAME --username USER --password-file FILE, or SALTAPI_USER, SALTAPI_PASS and SALTAPI_EAUTH, or keep a token with -T", a.at.url))
	}
	if err := own.ask(in, out); err != nil {
		return nil, err
	}
	t, err := c.Login(ctx, client.Login{Eauth: own.Eauth, Username: own.Username, Password: own.Password}, 0)
	if err != nil {
		return nil, notLoggedIn(err)
	}
	if !l.Keep {
		return c.For(t.Token), nil
	}
	if err := c.Keep(file, t); err != nil {
		return nil, err
	}
	return c.With(t.Token), nil
}

// kept returns the client with a valid token that was kept for this address, or nil.
func (a *API) kept(ctx context.Context, c *remote.Client, file string) (*remote.Client, error) {
	t, err := c.Kept(file)
	if err != nil || t.Token == "" {
		return nil, err
	}
	if !t.Expire.IsZero() && time.Until(t.Expire) < renewal {
		return nil, nil
	}
	if user := a.at.login.Username; user != "" && user != t.Name {
		return nil, nil // environment or file name another user
	}
	with := c.With(t.Token)
	_, err = with.Holder(ctx)
	var no *client.Refused
	if e := (*remote.StatusError)(nil); errors.As(err, &e) && e.Status == 404 {
		return with, nil // Salt's API cannot check a token
	}
	if errors.As(err, &no) {
		return nil, nil // revoked
	}
	return with, err
}

// notLoggedIn returns the error of a command whose login failed.
func notLoggedIn(err error) error {
	var no *client.Refused
	if errors.As(err, &no) && no.Name == "EauthAuthenticationError" {
		return Exit(exitDenied, errors.New("ERROR: Authentication failed"))
	}
	return Exit(exitDenied, err)
}
