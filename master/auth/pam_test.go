package auth

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeHelper is the name under which the test binary acts as unix_chkpwd: every password is
// "right", and some accounts are special.
const fakeHelper = "unix_chkpwd"

func chkpwdForTests(args []string, in *bufio.Reader) int {
	if len(args) != 2 {
		return 4
	}
	name, what := args[0], args[1]
	if what == "chkexpiry" {
		if name == "expired" {
			return pamAcctExpired
		}
		return 0
	}
	password, err := in.ReadString(0)
	switch {
	case name == "hangs":
		time.Sleep(time.Hour)
	case name == "broken":
		return 4
	case name == "unknown":
		return pamAuthinfoUnavail
	case what != "nonull" || err != nil || len(os.Environ()) > 0:
		return 4
	case password != "right\x00":
		return pamAuthErr
	}
	return 0
}

// asHelper creates the fake helper.
func asHelper(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), fakeHelper)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// me returns the account that runs the tests, with its groups on this system.
func me(t *testing.T) (name string, groups []string) {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := u.GroupIds()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			groups = append(groups, g.Name)
		}
	}
	slices.Sort(groups)
	return u.Username, slices.Compact(groups)
}

func TestPAMHelper(t *testing.T) {
	b := open(t, "pam", nil, map[string]any{"auth.pam.helper": asHelper(t)})
	name, groups := me(t)
	id, err := b.Check(t.Context(), Credentials{Username: name, Password: "right"})
	if err != nil || id.Name != name || !slices.Equal(id.Groups, groups) {
		t.Errorf("%v, %v, want the groups %v", id, err, groups)
	}
	for _, c := range []struct{ name, password string }{
		{name, "wrong"},
		{name, "right\x00"},
		{name, strings.Repeat("r", maxPAMPassword+1)},
		{"expired", "right"},
		{"unknown", "right"},
		{"-help", "right"},
		{"a:b", "right"},
		{"../x", "right"},
	} {
		if id, err := b.Check(t.Context(), Credentials{Username: c.name, Password: c.password}); !errors.Is(err, ErrDenied) {
			t.Errorf("%s with %q: %v, %v", c.name, c.password, id, err)
		}
	}
	if _, err := b.Check(t.Context(), Credentials{Username: "broken", Password: "right"}); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("a helper that is broken: %v", err)
	}
	if _, err := b.Check(t.Context(), Credentials{Username: "no-such-account", Password: "right"}); err == nil {
		t.Error("an account without groups is accepted")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Check(ctx, Credentials{Username: "hangs", Password: "right"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a helper that hangs: %v", err)
	}
}

// A configuration with PAM where it cannot work is an error at the start.
func TestPAMOptions(t *testing.T) {
	here := asHelper(t)
	cf := func(values map[string]any) Config { return Config{Values: values, Log: quiet, Now: time.Now} }
	if _, err := openPAM(cf(nil), 0, []string{"/nowhere/unix_chkpwd", here}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		uid   int
		paths []string
		opts  map[string]any
		want  string
	}{
		{1000, []string{here}, nil, "this master runs as uid 1000: run it as root, or set auth.pam.saslauthd"},
		{0, []string{"/nowhere/unix_chkpwd"}, nil, "there is no unix_chkpwd"},
		{0, nil, map[string]any{"auth.pam.helper": here, "auth.pam.saslauthd": "/run/x"}, "set one of them"},
		{0, nil, map[string]any{"auth.pam": map[string]any{"port": 1}}, "auth.pam.port: is not known"},
		{0, nil, map[string]any{"auth.pam.helper": []any{}}, "auth.pam.helper: wants a text"},
	} {
		if _, err := openPAM(cf(c.opts), c.uid, c.paths); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.opts, err, c.want)
		}
	}
	var log logged
	if _, err := openPAM(Config{Values: map[string]any{"auth.pam.service": "sshd"}, Log: log.logger()}, 0, []string{here}); err != nil || !strings.Contains(log.String(), "auth.pam.service ignored") {
		t.Errorf("a service without saslauthd: %v, %s", err, &log)
	}
	refusedWith(t, "pam", map[string]any{"^model": "x"}, nil, "unknown option ^model: it has none there")
}

// sasl is a fake saslauthd: "right" is the password of everybody for the service "salt".
func sasl(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mux")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serveSASL(conn)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return path
}

func serveSASL(conn net.Conn) {
	defer conn.Close()
	var got []string
	for range 4 {
		var n [2]byte
		if _, err := io.ReadFull(conn, n[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(n[:]))
		if _, err := io.ReadFull(conn, b); err != nil {
			return
		}
		got = append(got, string(b))
	}
	answer := "NO"
	switch {
	case got[0] == "hangs":
		_, _ = conn.Read(make([]byte, 1)) // until the other side gives up
		return
	case got[0] == "odd":
		answer = "MAYBE"
	case got[1] == "right" && got[2] == "salt" && got[3] == "":
		answer = "OK Success"
	}
	_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
}

func TestSaslauthd(t *testing.T) {
	path := sasl(t)
	b := open(t, "pam", nil, map[string]any{"auth.pam": map[string]any{"saslauthd": path, "service": "salt"}})
	name, groups := me(t)
	id, err := b.Check(t.Context(), Credentials{Username: name, Password: "right"})
	if err != nil || id.Name != name || !slices.Equal(id.Groups, groups) {
		t.Errorf("%v, %v", id, err)
	}
	if _, err := b.Check(t.Context(), Credentials{Username: name, Password: "wrong"}); !errors.Is(err, ErrDenied) {
		t.Errorf("a wrong password: %v", err)
	}
	if _, err := b.Check(t.Context(), Credentials{Username: "odd", Password: "right"}); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("an odd answer: %v", err)
	}
	other := open(t, "pam", nil, map[string]any{"auth.pam.saslauthd": path})
	if _, err := other.Check(t.Context(), Credentials{Username: name, Password: "right"}); !errors.Is(err, ErrDenied) {
		t.Errorf("another service: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Check(ctx, Credentials{Username: "hangs", Password: "right"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a daemon that hangs: %v", err)
	}
	gone := open(t, "pam", nil, map[string]any{"auth.pam.saslauthd": path + "x"})
	if _, err := gone.Check(t.Context(), Credentials{Username: name, Password: "right"}); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("no daemon: %v", err)
	}
}

// Groups of directory accounts come from id(1).
func TestGroupsByID(t *testing.T) {
	name, groups := me(t)
	if got, err := groupsByID(t.Context(), name); err != nil || !slices.Equal(got, groups) {
		t.Errorf("%v, %v, want %v", got, err, groups)
	}
	if got, err := groupsByID(t.Context(), "no-such-account"); err == nil {
		t.Errorf("nobody is in %v", got)
	}
}
