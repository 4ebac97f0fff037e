package access

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/crypt"
)

func TestWriteUserKeys(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	passwd := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(passwd, []byte("# users\n"+me.Username+":x:0:0::/:/bin/sh\nghost-1:x:9:9::/:\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".gone_key", "keep_key", ".keep"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := UserKeyOptions{Cachedir: dir, ACL: []string{"no-such-user-here", "ghost-.*"}, ClientACLVerify: true, Passwd: passwd, Log: quiet}
	keys, err := WriteUserKeys(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != 1 || keys[me.Username] == "" { // ghosts are configured, but not accounts of this machine
		t.Errorf("keys for %v, want %s alone", keys, me.Username)
	}
	path := UserKeyPath(dir, me.Username)
	b, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err := errors.Join(err, statErr); err != nil {
		t.Fatal(err)
	}
	if string(b) != keys[me.Username] || len(b) != crypt.KeyStringSize || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, mode %o", b, info.Mode().Perm())
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{filepath.Base(path), ".keep", "keep_key"}, names, sortedNames); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if again, err := WriteUserKeys(o); err != nil || again[me.Username] == keys[me.Username] {
		t.Errorf("the second start gives the same key: %v", err)
	}
}

func TestUsers(t *testing.T) {
	u := Users{"root": "aaa", "ann": "bbb", "nokey": ""}
	for _, tc := range []struct {
		key, name string
		valid     bool
	}{{"aaa", "root", true}, {"bbb", "ann", true}, {"aaa", "ann", false}, {"", "nokey", false}, {"ccc", "eve", false}} {
		if got := u.Valid(tc.key, tc.name); got != tc.valid {
			t.Errorf("Valid(%q, %q) = %t", tc.key, tc.name, got)
		}
	}
	if name, ok := u.User("bbb"); !ok || name != "ann" {
		t.Errorf("User = %q, %t", name, ok)
	}
	for _, key := range []string{"", "zzz"} {
		if name, ok := u.User(key); ok {
			t.Errorf("User(%q) = %q", key, name)
		}
	}
}

func TestGrantsOf(t *testing.T) {
	for _, tc := range []struct {
		pattern, user string
		want          bool
	}{
		{"ann", "ann", true},
		{"ann", "anna", false},
		{"ann*", "anna", true},
		{"ann.*", "anna", true},
		{".*ann", "joann", true},
		{"[ab]nn", "bnn", true},
		{"ann|bob", "bobby", false},
	} {
		if got := grantsOf([]string{tc.pattern}).Match(tc.user); got != tc.want {
			t.Errorf("%q for %q: %t", tc.pattern, tc.user, got)
		}
	}
	if got := UserKeyPath("/c", `DOM\ann`); got != "/c/.DOM_ann_key" {
		t.Errorf("path %s", got)
	}
}

var sortedNames = cmp.Transformer("sort", func(in []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range in {
		out[s] = true
	}
	return out
})
