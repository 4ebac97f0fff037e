package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

func init() {
	Register(Driver{
		Name: "pam",
		Doc:  "Accounts and groups of the master's machine.",
		Options: []Option{
			{Name: "auth.pam.helper", Type: "string", Doc: "Program that checks passwords. When unset, `unix_chkpwd` of Linux-PAM, which needs a master that runs as root. Not in Salt."},
			{Name: "auth.pam.saslauthd", Type: "string", Doc: "Socket of saslauthd, which runs the whole PAM stack. It replaces the helper. Not in Salt."},
			{Name: "auth.pam.service", Type: "string", Default: "login", Doc: "PAM service; only with saslauthd."},
		},
		AtOnce: max(1, runtime.GOMAXPROCS(0)/2),
		Open:   func(cf Config) (Backend, error) { return openPAM(cf, os.Geteuid(), helperPaths) },
	})
}

// helperPaths are the usual locations of unix_chkpwd.
var helperPaths = []string{"/usr/sbin/unix_chkpwd", "/sbin/unix_chkpwd", "/usr/bin/unix_chkpwd", "/usr/lib/security/pam_unix/unix_chkpwd"}

func openPAM(cf Config, uid int, paths []string) (Backend, error) {
	v := topValues(cf, "auth.pam", drivers["pam"].names())
	socket, helper, service := v.text("saslauthd", ""), v.text("helper", ""), v.text("service", "login")
	switch {
	case socket != "" && helper != "":
		v.fault("helper", "does not go with auth.pam.saslauthd: set one of them")
	case socket != "":
	case v.has("service"):
		cf.Log.Warn("auth.pam.service ignored: unix_chkpwd has no services", "hint", "set auth.pam.saslauthd for the whole PAM stack")
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if socket != "" {
		return pam{saslauthd{socket, service}.check}, nil
	}
	if helper == "" {
		for _, p := range paths {
			if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() && helper == "" {
				helper = p
			}
		}
		if helper == "" {
			return nil, fmt.Errorf("there is no unix_chkpwd (of Linux-PAM) in %s: install it, name another helper by auth.pam.helper, or set auth.pam.saslauthd", strings.Join(paths, ", "))
		}
		if uid != 0 {
			return nil, fmt.Errorf("%s checks other users for root only, and this master runs as uid %d: run it as root, or set auth.pam.saslauthd", helper, uid)
		}
	}
	return pam{chkpwd(helper).check}, nil
}

// pam checks accounts of this machine.
type pam struct {
	check func(ctx context.Context, name, password string) error
}

func (p pam) Check(ctx context.Context, c Credentials) (Identity, error) {
	if len(c.Password) > maxPAMPassword || strings.ContainsRune(c.Password, 0) || strings.ContainsAny(c.Username, ":/") || c.Username[0] == '-' {
		return Identity{}, denied("no name, or no password, that PAM could take")
	}
	if err := p.check(ctx, c.Username, c.Password); err != nil {
		return Identity{}, err
	}
	groups, err := groupsOf(ctx, c.Username)
	if err != nil {
		return Identity{}, err
	}
	return Identity{Name: c.Username, Groups: groups}, nil
}

// maxPAMPassword is the longest password for PAM, in bytes.
const maxPAMPassword = 511

// chkpwd is the path of unix_chkpwd, the helper of Linux-PAM for programs that may not read the hashes.
type chkpwd string

// Exit codes, as in PAM.
const (
	pamAuthErr         = 7
	pamAuthinfoUnavail = 9
	pamUserUnknown     = 10
	pamNewAuthtokReqd  = 12
	pamAcctExpired     = 13
	pamAuthtokExpired  = 27
)

// check checks the password, and whether the account has expired.
func (h chkpwd) check(ctx context.Context, name, password string) error {
	// The password is sent on standard input, terminated by a zero byte.
	switch code, err := h.run(ctx, name, "nonull", password+"\x00"); {
	case err != nil:
		return err
	case code == pamAuthErr, code == pamUserUnknown, code == pamAuthinfoUnavail: // the last means an unknown name as well
		return denied("wrong name or password (%d)", code)
	case code != 0:
		return fmt.Errorf("%s: exit status %d for a password check", string(h), code)
	}
	switch code, err := h.run(ctx, name, "chkexpiry", ""); {
	case err != nil:
		return err
	case code == pamAcctExpired, code == pamAuthtokExpired, code == pamNewAuthtokReqd:
		return denied("the account, or its password, has expired (%d)", code)
	case code == pamAuthinfoUnavail, code == pamUserUnknown:
		return denied("nothing is known of the account (%d)", code)
	case code != 0:
		return fmt.Errorf("%s: exit status %d for an account check", string(h), code)
	}
	return nil
}

func (h chkpwd) run(ctx context.Context, name, what, input string) (code int, err error) {
	cmd := exec.CommandContext(ctx, string(h), name, what)
	cmd.Stdin = strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	cmd.Env = []string{}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%s: %w", string(h), ctx.Err())
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	case err != nil:
		return 0, fmt.Errorf("check a password: %w", err)
	}
	return 0, nil
}
