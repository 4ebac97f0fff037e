package access

import (
	"bufio"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/target"
)

// UserKeyOptions of [WriteUserKeys].
type UserKeyOptions struct {
	Cachedir string
	User     string   // the user the master runs as; default the current one
	ACL      []string // the names and patterns that publisher_acl has as keys

	// ClientACLVerify also generates keys for local users that match a pattern. They are read
	// from Passwd, default /etc/passwd; users of other directories must be named in full.
	ClientACLVerify bool
	Passwd          string

	Log *slog.Logger
}

// Users maps local users to the keys that authenticate them.
type Users map[string]string

// WriteUserKeys replaces the files cachedir/.<user>_key: a key string each, mode 0600, owned by its
// user. It first removes all old files.
func WriteUserKeys(o UserKeyOptions) (Users, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Passwd == "" {
		o.Passwd = "/etc/passwd"
	}
	current, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("generate user keys: %w", err)
	}
	if o.User == "" {
		o.User = current.Username
	}
	if err := os.MkdirAll(o.Cachedir, 0o755); err != nil {
		return nil, fmt.Errorf("generate user keys: %w", err)
	}
	if err := removeUserKeys(o.Cachedir); err != nil {
		return nil, err
	}
	names := []string{o.User, current.Username}
	if o.ClientACLVerify {
		all, err := localUsers(o.Passwd)
		if err != nil {
			o.Log.Warn("publisher_acl: system users not listed, patterns match nobody", "path", o.Passwd, "err", err)
		}
		grants := grantsOf(o.ACL)
		names = append(names, slices.DeleteFunc(all, func(name string) bool { return !grants.Match(name) })...)
	}
	for _, name := range o.ACL {
		if !strings.ContainsAny(name, `*?[]()|^$+\`) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	keys := Users{}
	var errs []error
	for _, name := range slices.Compact(names) {
		uid := current
		if name != current.Username {
			if uid, err = user.Lookup(name); err != nil {
				o.Log.Error("user of publisher_acl does not exist, gets no key", "user", name, "err", err)
				continue
			}
		}
		key := crypt.NewKeyString()
		if err := writeUserKey(o.Cachedir, name, uid.Uid, key, current.Uid != uid.Uid); err != nil {
			errs = append(errs, err)
			continue
		}
		keys[name] = key
	}
	return keys, errors.Join(errs...)
}

// grantsOf returns the keys of publisher_acl as patterns.
func grantsOf(acl []string) target.Patterns {
	out := make(target.Patterns, 0, len(acl))
	for _, who := range acl {
		out = append(out, target.NewGrant(who))
	}
	return out
}

// UserKeyPath returns the file of a user's key; the backslash of a domain user becomes an underscore.
func UserKeyPath(cachedir, name string) string {
	return filepath.Join(cachedir, "."+strings.ReplaceAll(name, `\`, "_")+"_key")
}

func writeUserKey(cachedir, name, uid, key string, chown bool) error {
	if strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("make key of user %q: not a valid file name", name)
	}
	path := UserKeyPath(cachedir, name)
	if err := durable.WriteFile(path, []byte(key), 0o600); err != nil {
		return fmt.Errorf("make key of user %q: %w", name, err)
	}
	if !chown {
		return nil
	}
	id, err := strconv.Atoi(uid)
	if err == nil {
		err = os.Lchown(path, id, -1)
	}
	if err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("change the owner of the key file to user %q: %w", name, err)
	}
	return nil
}

func removeUserKeys(cachedir string) error {
	entries, err := os.ReadDir(cachedir)
	if err != nil {
		return fmt.Errorf("remove old user keys: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); name[0] != '.' || !strings.HasSuffix(name, "_key") || e.IsDir() {
			continue
		}
		if err := os.Remove(filepath.Join(cachedir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove old user key: %w", err)
		}
	}
	return nil
}

func localUsers(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if name, _, ok := strings.Cut(sc.Text(), ":"); ok && name != "" && name[0] != '#' {
			out = append(out, name)
		}
	}
	return out, sc.Err()
}

// User returns the user of a key. It compares all keys in constant time.
func (u Users) User(key string) (name string, ok bool) {
	for user, have := range u {
		if subtle.ConstantTimeCompare([]byte(have), []byte(key)) == 1 {
			name, ok = user, true
		}
	}
	return name, ok && key != ""
}

// Valid reports whether key is that of the user name.
func (u Users) Valid(key, name string) bool {
	have, ok := u[name]
	return ok && key != "" && subtle.ConstantTimeCompare([]byte(have), []byte(key)) == 1
}
