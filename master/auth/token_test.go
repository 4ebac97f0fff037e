package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// recorded is a token file written by Salt.
type recorded struct {
	Token string `json:"token"`
	Mode  string `json:"mode"`
	File  string `json:"file"`
}

func (r recorded) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(r.File)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func recordedTokens(t testing.TB) (bare, withGroups recorded) {
	t.Helper()
	var all struct {
		recorded
		WithGroups recorded `json:"with_groups"`
	}
	vectors.Load(t, "tokens.json", &all)
	return all.recorded, all.WithGroups
}

// Salt's token files are read, and written byte for byte.
func TestTokensAreSalts(t *testing.T) {
	bare, groups := recordedTokens(t)
	for _, c := range []struct {
		recorded
		want Token
	}{
		{bare, Token{Token: bare.Token, Name: "tester", Eauth: "auto", Start: began, Expire: began.Add(12 * time.Hour)}},
		{groups, Token{
			Token: groups.Token, Name: "tester", Eauth: "auto", Start: began, Expire: began.Add(12 * time.Hour),
			AuthList: []any{".*", map[string]any{"m1": []any{"test.*"}}}, Groups: []string{"wheel"},
		}},
	} {
		b, err := c.want.encode()
		if err != nil || !bytes.Equal(b, c.bytes(t)) {
			t.Errorf("written as %x, %v, want %x", b, err, c.bytes(t))
		}
		got, err := decodeToken(c.Token, c.bytes(t))
		if err != nil {
			t.Fatal(err)
		}
		if rules, want := pyfmt.Repr(got.AuthList), pyfmt.Repr(wire.Normal(c.want.AuthList)); rules != want {
			t.Errorf("rules %s, want %s", rules, want)
		}
		got.AuthList, c.want.AuthList = nil, nil
		if !cmp.Equal(got, c.want) || got.Token == "" {
			t.Error(cmp.Diff(c.want, got))
		}
	}
}

const autoOnly = "external_auth: {auto: {dave: ['.*']}}\n"

// login returns a token of dave.
func login(t *testing.T, s *Service, expire time.Duration) Token {
	t.Helper()
	tok, err := s.Login(t.Context(), Credentials{Eauth: "auto", Username: "dave", Password: "x"}, expire)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestLogin(t *testing.T) {
	now := began
	s, c := service(t, func() time.Time { return now }, quiet, autoOnly)
	tok := login(t, s, time.Hour) // which users may not choose
	if tok.Name != "dave" || tok.Eauth != "auto" || !tok.Start.Equal(began) || !tok.Expire.Equal(began.Add(12*time.Hour)) || len(tok.Token) != 64 || tok.AuthList != nil {
		t.Errorf("%#v from %v to %v", tok, tok.Start, tok.Expire)
	}
	for path, mode := range map[string]fs.FileMode{c.TokenDir: 0o700 | fs.ModeDir, filepath.Join(c.TokenDir, tok.Token): 0o600} {
		if fi, err := os.Stat(path); err != nil || fi.Mode() != mode {
			t.Errorf("%s: %v, %v", path, fi, err)
		}
	}
	if left, err := os.ReadDir(c.TokenDir); err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
	if got, err := s.Token(t.Context(), tok.Token); err != nil || !cmp.Equal(got, tok) {
		t.Errorf("%v: %s", err, cmp.Diff(tok, got))
	}
	other := login(t, s, 0)
	if other.Token == tok.Token {
		t.Error("two logins have one token")
	}
	if err := s.Revoke(t.Context(), other.Token); err != nil {
		t.Error(err)
	}
	if err := s.Revoke(t.Context(), other.Token); err != ErrNoToken {
		t.Errorf("revoked twice: %v", err)
	}
	if _, err := s.Token(t.Context(), other.Token); err != ErrNoToken {
		t.Errorf("a revoked token: %v", err)
	}
	now = now.Add(12*time.Hour - time.Millisecond)
	if _, err := s.Token(t.Context(), tok.Token); err != nil {
		t.Errorf("before its end: %v", err)
	}
	now = now.Add(time.Millisecond)
	if _, err := s.Token(t.Context(), tok.Token); err != ErrNoToken {
		t.Errorf("at its end: %v", err)
	}
	if left, err := os.ReadDir(c.TokenDir); err != nil || len(left) != 0 {
		t.Errorf("there are still %v, %v", left, err)
	}
}

// token_expire, token_expire_user_override, keep_acl_in_token, hash_type and token_dir.
func TestTokenOptions(t *testing.T) {
	for _, c := range []struct {
		lines string
		life  time.Duration
	}{
		{"token_expire: 60\n", time.Minute},
		{"token_expire_user_override: true\n", time.Hour},
		{"token_expire_user_override: {auto: [alice, dave]}\n", time.Hour},
		{"token_expire_user_override: {auto: dave}\n", time.Hour},
		{"token_expire_user_override: {auto: [alice], pam: [dave]}\n", 12 * time.Hour},
		{"token_expire_user_override: false\n", 12 * time.Hour},
	} {
		s, _ := service(t, at(began), quiet, autoOnly+c.lines)
		if tok := login(t, s, time.Hour); tok.Expire.Sub(tok.Start) != c.life {
			t.Errorf("%s: %v", c.lines, tok.Expire.Sub(tok.Start))
		}
	}
	s, cf := service(t, at(began), quiet, autoOnly+"keep_acl_in_token: true\nhash_type: md5\ntoken_dir: elsewhere\n")
	tok := login(t, s, 0)
	if len(tok.Token) != 32 || pyfmt.Repr(tok.AuthList) != "['.*']" || !strings.HasSuffix(cf.TokenDir, "/tokens") || strings.Contains(cf.TokenDir, "elsewhere") {
		t.Errorf("%v of %d digits with %v in %s", tok, len(tok.Token), tok.AuthList, cf.TokenDir)
	}
	if got, err := s.Token(t.Context(), tok.Token); err != nil || pyfmt.Repr(got.AuthList) != "['.*']" {
		t.Errorf("%v, %v", got.AuthList, err)
	}
	s.keepACL = false // as after a change of the configuration
	if got, err := s.Token(t.Context(), tok.Token); err != nil || got.AuthList != nil {
		t.Errorf("%v, %v", got.AuthList, err)
	}
	delete(s.backends, "auto")
	if _, err := s.Token(t.Context(), tok.Token); !errors.Is(err, ErrNoToken) {
		t.Errorf("a token of a removed service: %v", err)
	}
}

// A text that is not a valid token name never reaches the file system.
func TestNamesOfTokens(t *testing.T) {
	s, c := service(t, at(began), quiet, autoOnly)
	tok := login(t, s, 0)
	outside := filepath.Join(filepath.Dir(c.TokenDir), strings.Repeat("a", 64))
	if err := os.Rename(filepath.Join(c.TokenDir, tok.Token), outside); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"", ".", "..", "../" + strings.Repeat("a", 64), "../" + strings.Repeat("a", 61), outside, strings.Repeat("A", 64), strings.Repeat("a", 63),
		strings.Repeat("g", 64), strings.Repeat("a", 62) + "/x", strings.Repeat("a", 63) + "\x00", strings.Repeat("ä", 32), tok.Token + ".tmp",
	} {
		if _, err := s.Token(t.Context(), id); err != ErrNoToken {
			t.Errorf("%q: %v", id, err)
		}
		if err := s.Revoke(t.Context(), id); err != ErrNoToken {
			t.Errorf("revoke %q: %v", id, err)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// Invalid token files, and those of other users, grant no access. The former are removed, the
// latter left alone; the log reports both, without the token.
func TestStrangeFiles(t *testing.T) {
	var log logged
	s, c := service(t, at(began), log.logger(), autoOnly)
	good := login(t, s, 0)
	content, err := os.ReadFile(filepath.Join(c.TokenDir, good.Token))
	if err != nil {
		t.Fatal(err)
	}
	named := func(change func(*wire.Map)) func(id, path string) error {
		return func(id, path string) error {
			m, err := wire.DecodeMap(content)
			if err != nil {
				return err
			}
			m.Set("token", id)
			change(m)
			b, err := wire.Encode(m)
			if err != nil {
				return err
			}
			return os.WriteFile(path, b, 0o600)
		}
	}
	same := func(*wire.Map) {}
	for i, f := range []struct {
		what    string
		make    func(id, path string) error
		removed bool
	}{
		{"", named(same), false}, // valid
		{"unreadable token file", func(_, p string) error { return os.WriteFile(p, []byte("garbage"), 0o600) }, true},
		{"unreadable token file", func(_, p string) error { return os.WriteFile(p, nil, 0o600) }, true},
		{"another token than its name", func(_, p string) error { return os.WriteFile(p, content, 0o600) }, true},
		{"no user or login service", named(func(m *wire.Map) { m.Delete("name") }), true},
		{"no user or login service", named(func(m *wire.Map) { m.Set("eauth", 7) }), true},
		{"no expiry", named(func(m *wire.Map) { m.Delete("expire") }), true},
		{"no expiry", named(func(m *wire.Map) { m.Set("expire", 1e300) }), true},
		{"no start time", named(func(m *wire.Map) { m.Set("start", "yesterday") }), true},
		{"not a string", named(func(m *wire.Map) { m.Set("groups", []any{"a", 1}) }), true},
		{"", named(func(m *wire.Map) { m.Set("expire", began.Unix()-1) }), true}, // expired
		{"more than 1048576", func(_, p string) error {
			if err := os.WriteFile(p, content, 0o600); err != nil {
				return err
			}
			return os.Truncate(p, maxToken+1)
		}, false},
		{"it is a link", func(_, p string) error { return os.Symlink(filepath.Join(c.TokenDir, good.Token), p) }, false},
		{"not a regular file", func(_, p string) error { return os.Mkdir(p, 0o700) }, false},
		{"not a regular file", func(_, p string) error { return unix.Mkfifo(p, 0o600) }, false},
		{"others may write", func(id, p string) error {
			if err := named(same)(id, p); err != nil {
				return err
			}
			return os.Chmod(p, 0o620)
		}, false},
	} {
		id := strings.Repeat(string("0123456789abcdef"[i]), 64)
		path := filepath.Join(c.TokenDir, id)
		if err := f.make(id, path); err != nil {
			t.Fatal(err)
		}
		before := len(log.String())
		_, err := s.Token(t.Context(), id)
		text := log.String()[before:]
		if _, there := os.Lstat(path); errors.Is(there, fs.ErrNotExist) != f.removed {
			t.Errorf("%d %s: removed %v", i, f.what, !f.removed)
		}
		switch {
		case i == 0:
			if err != nil || text != "" {
				t.Errorf("a good one: %v, %s", err, text)
			}
		case err != ErrNoToken, f.what == "" && text != "", !strings.Contains(text, f.what):
			t.Errorf("%d %s: %v, text %s", i, f.what, err, text)
		case strings.Contains(text, id):
			t.Errorf("%d: the log has a token: %s", i, text)
		}
	}
}

// A token file owned by somebody else is not a token.
func TestForeignOwner(t *testing.T) {
	var log logged
	s, c := service(t, at(began), log.logger(), autoOnly)
	tok := login(t, s, 0)
	s.tokens.uid = 4242
	if os.Geteuid() == 0 { // root may own the files of others
		if err := os.Chown(filepath.Join(c.TokenDir, tok.Token), 4243, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Token(t.Context(), tok.Token); err != ErrNoToken || !strings.Contains(log.String(), "belongs to another user") {
		t.Errorf("%v, %s", err, &log)
	}
}

// Run removes expired tokens and remains of interrupted writes, and leaves unknown files.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := service(t, time.Now, quiet, autoOnly+"token_expire: 1800\n")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		old := login(t, s, 0)
		time.Sleep(20 * time.Minute)
		young := login(t, s, 0)
		files := map[string]bool{ // whether they stay
			young.Token: true, old.Token: false, strings.Repeat("0", 64): false, "README": true, strings.Repeat("1", 64) + ".tmp": false, ".mom-12.tmp": false,
			strings.Repeat("2", 64) + ".tmp": true,
		}
		for name := range files {
			path := filepath.Join(c.TokenDir, name)
			if _, err := os.Stat(path); err == nil {
				continue
			}
			if err := os.WriteFile(path, []byte("?"), 0o600); err != nil {
				t.Fatal(err)
			}
			age := 2 * time.Hour
			if strings.HasPrefix(name, "22") {
				age = 0
			}
			if at := time.Now().Add(-age); os.Chtimes(path, at, at) != nil {
				t.Fatal(name)
			}
		}
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		for name, stays := range files {
			if _, err := os.Stat(filepath.Join(c.TokenDir, name)); (err == nil) != stays {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s.tokens.count != 1 {
			t.Errorf("%d tokens are counted", s.tokens.count)
		}
		cancel()
		<-done
	})
}

// The number of stored tokens is limited.
func TestTooManyTokens(t *testing.T) {
	now := began
	s, _ := service(t, func() time.Time { return now }, quiet, autoOnly)
	s.tokens.most = 3
	for range 3 {
		login(t, s, 0)
	}
	_, err := s.Login(t.Context(), Credentials{Eauth: "auto", Username: "dave"}, 0)
	if err == nil || !strings.Contains(err.Error(), "3 tokens are kept") {
		t.Errorf("a fourth: %v", err)
	}
	now = now.Add(13 * time.Hour)
	login(t, s, 0)
}

// A directory writable or owned by others is repaired or refused.
func TestTokenFolder(t *testing.T) {
	c := load(t, autoOnly)
	if err := os.MkdirAll(c.TokenDir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.TokenDir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Config: c, Rules: rulesOf(c), Log: quiet}); err != nil {
		t.Error(err)
	}
	if fi, err := os.Stat(c.TokenDir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", fi, err)
	}
	d := newFolder(c.TokenDir, quiet, time.Now)
	d.uid = 4242
	if os.Geteuid() == 0 {
		if err := os.Chown(c.TokenDir, 4243, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.make(); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("another's folder: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.TokenDir = file
	if _, err := New(Options{Config: c, Rules: rulesOf(c), Log: quiet}); err == nil || !strings.Contains(err.Error(), "token_dir") {
		t.Errorf("a file for a folder: %v", err)
	}
}

// A configuration without external_auth creates no directory and refuses every login.
func TestNoExternalAuth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := service(t, time.Now, quiet, "")
		if _, err := s.Login(t.Context(), Credentials{Eauth: "auto", Username: "dave"}, 0); err != ErrDenied {
			t.Error(err)
		}
		if _, err := s.Token(t.Context(), strings.Repeat("a", 64)); err != ErrNoToken {
			t.Error(err)
		}
		s.tokens.sweep(t.Context())
		if info, err := os.Stat(c.TokenDir); err != nil || info.Mode().Perm() != 0o700 { // Salt's programs write there
			t.Error(info, err)
		}
	})
}

// FuzzToken: any file is a token or an error, and a token survives writing and reading.
func FuzzToken(f *testing.F) {
	bare, groups := recordedTokens(f)
	for _, r := range []recorded{bare, groups} {
		f.Add(r.Token, r.bytes(f))
	}
	f.Add(strings.Repeat("0", 64), []byte{0x81, 0xa5, 't', 'o', 'k', 'e', 'n', 0xc0})
	f.Fuzz(func(t *testing.T, id string, b []byte) {
		tok, err := decodeToken(id, b)
		if err != nil {
			return
		}
		if tok.Token != id || tok.Name == "" || tok.Eauth == "" {
			t.Errorf("%q: %#v", id, tok)
		}
		again, err := tok.encode()
		if err != nil {
			return // the encoding may grow beyond the limit, for example by longer numbers
		}
		got, err := decodeToken(id, again)
		if err != nil || got.Name != tok.Name || got.Eauth != tok.Eauth || !cmp.Equal(got.Groups, tok.Groups) || got.Expire.Sub(tok.Expire).Abs() > time.Millisecond {
			t.Errorf("%#v is read as %#v, %v", tok, got, err)
		}
	})
}
