package modules

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// maxKeys bounds what a file of keys may have, in bytes.
const maxKeys = 4 << 20

func init() {
	config := Arg{Name: "config", Default: ".ssh/authorized_keys"}
	finger := Arg{Name: "fingerprint_hash_type"}
	user, key := Arg{Name: "user", Required: true}, Arg{Name: "key", Required: true}
	line := []Arg{{Name: "enc", Default: "ssh-rsa"}, {Name: "comment", Default: ""}, {Name: "options"}}
	const about = `
config is the file, in the home folder of the user or absolute, with %h and %u for
home and name; a link that leads out of the home folder is not followed.
fingerprint_hash_type is the kind of fingerprints, sha256 by default.
`
	Register("ssh",
		Function{Name: "auth_keys", Args: []Arg{{Name: "user"}, config, finger}, Run: sshAuthKeys, Doc: `
Return the keys that let in a user, or several in a list, or all.
` + about + `
CLI Example:

    salt '*' ssh.auth_keys root
`},
		Function{Name: "check_key", Args: append([]Arg{user, key}, append(line, config, Arg{Name: "cache_keys"}, finger)...), Run: sshCheckKey, Doc: `
Tell what ssh.set_auth_key would do: add, update, or exists. enc is the type of
the key, comment and options stand beside it; cache_keys is for Salt's sake.
` + about + `
CLI Example:

    salt '*' ssh.check_key root AAAAB3… ssh-rsa
`},
		Function{Name: "set_auth_key", Args: append([]Arg{user, key}, append(line, config, Arg{Name: "cache_keys"}, finger)...), Run: sshSetKey, Doc: `
Let a key in to a user. enc is the type of the key, comment and options stand
beside it; cache_keys is for Salt's sake. Returns new, replace or no change; fail
when the user or its home folder is not there, invalid for what is no key.
` + about + `
CLI Example:

    salt '*' ssh.set_auth_key root AAAAB3… enc=ssh-ed25519
`},
		Function{Name: "rm_auth_key", Args: []Arg{user, key, config, finger}, Run: sshRemoveKey, Doc: `
Let a key in to a user no more. Returns "Key removed" or "Key not present".
` + about + `
CLI Example:

    salt '*' ssh.rm_auth_key root AAAAB3…
`},
	)
}

// authLine is a line of a file of keys.
type authLine struct {
	options            []string
	enc, key, comment  string
	text, finger       string
	blank, isKey, note bool
}

var keyLine = regexp.MustCompile(`^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\w@.-]+\s.+)$`)

// parseKeys reads a file of keys.
func parseKeys(data []byte, kind string) ([]authLine, error) {
	var out []authLine
	for text := range strings.Lines(string(data)) {
		l := authLine{text: strings.TrimSpace(text)}
		l.blank, l.note = l.text == "", strings.HasPrefix(l.text, "#")
		if m := keyLine.FindStringSubmatch(l.text); m != nil && !l.note {
			if f := strings.Fields(m[2]); len(f) > 1 {
				finger, err := fingerprint(f[1], kind)
				if err != nil {
					return nil, err
				}
				l.enc, l.key, l.comment, l.finger, l.isKey = f[0], f[1], strings.Join(f[2:], " "), finger, finger != ""
				if m[1] != "" {
					l.options = strings.Split(m[1], ",")
				}
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// fingerprint is that of a key, "" of what is none.
func fingerprint(key, kind string) (string, error) {
	h, err := crypt.NewHash(strings.ToLower(kind))
	if err != nil {
		return "", CommandErrorf("The fingerprint_hash_type %s is not supported.", kind)
	}
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil || len(raw) == 0 {
		return "", nil //nolint:nilerr // it is no key
	}
	h.Write(raw)
	var pairs []string
	for _, b := range h.Sum(nil) {
		pairs = append(pairs, fmt.Sprintf("%02x", b))
	}
	return strings.Join(pairs, ":"), nil
}

// encOf is the type of a key by its name or a short form of it.
func encOf(enc string) (string, error) {
	switch enc {
	case "r", "rsa", "ssh-rsa":
		return "ssh-rsa", nil
	case "d", "dsa", "dss", "ssh-dss":
		return "ssh-dss", nil
	case "e", "ecdsa":
		return "ecdsa-sha2-nistp256", nil
	case "ed25519", "ssh-ed25519":
		return "ssh-ed25519", nil
	}
	if regexp.MustCompile(`^(sk-)?(ecdsa-sha2-nistp(256|384|521)|rsa-sha2-(256|512)|ssh-ed25519|ssh-rsa)(-cert-v01)?(@openssh\.com)?$`).MatchString(enc) {
		return enc, nil
	}
	return "", CommandErrorf("Incorrect encryption key type '%s'.", enc)
}

// render writes a key as a line.
func (l authLine) render() string {
	text := l.enc + " " + l.key + " " + l.comment
	if len(l.options) > 0 {
		text = strings.Join(l.options, ",") + " " + text
	}
	return text
}

// keyFile is the file of the keys of a user. What lies in the home folder, which the user
// writes, is reached without leaving it.
type keyFile struct {
	user passwd
	root *os.Root
	name string // inside root
}

func (c *Call) keyFile(ctx context.Context, name string) (*keyFile, error) {
	u, ok, err := c.account(ctx, name, "")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, CommandErrorf("User '%s' does not exist", name)
	}
	path := strings.NewReplacer("%%", "%", "%u", name, "%h", u.home).Replace(c.Str("config"))
	dir := u.home
	if filepath.IsAbs(path) {
		if rel, below := strings.CutPrefix(path, strings.TrimSuffix(u.home, "/")+"/"); below {
			path = rel
		} else {
			dir, path = "/", strings.TrimPrefix(path, "/")
		}
	}
	//mutant:modules-keys-stay-at-home
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &keyFile{u, root, filepath.Clean(path)}, nil
}

// read gives the keys; a file that is not there has none.
func (f *keyFile) read(kind string) ([]authLine, error) {
	file, err := f.root.Open(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, CommandErrorf("Problem reading ssh key file %s: %v", f.name, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKeys+1))
	if err != nil || len(data) > maxKeys {
		return nil, CommandErrorf("Problem reading ssh key file %s: %v", f.name, errors.Join(err, errTooMany(len(data))))
	}
	return parseKeys(data, kind)
}

func errTooMany(n int) error {
	if n > maxKeys {
		return fmt.Errorf("it has more than %d bytes", maxKeys)
	}
	return nil
}

// write replaces the keys in one step. What is new belongs to the user alone.
func (f *keyFile) write(lines []authLine) error {
	var b bytes.Buffer
	for _, l := range lines {
		if !l.blank {
			b.WriteString(l.text + "\n")
		}
	}
	own := func(name string, mode fs.FileMode) error {
		err := f.root.Chmod(name, mode)
		if err == nil && os.Geteuid() == 0 {
			err = f.root.Chown(name, int(f.user.uid), int(f.user.gid))
		}
		return err
	}
	dir, mode := filepath.Dir(f.name), fs.FileMode(0o600)
	if _, err := f.root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(f.root.MkdirAll(dir, 0o700), own(dir, 0o700)); err != nil {
			return err
		}
	}
	if st, err := f.root.Stat(f.name); err == nil {
		mode = st.Mode().Perm()
	}
	part := f.name + ".mom-part"
	_ = f.root.Remove(part) // of an earlier try
	file, err := f.root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(b.Bytes())
	if err = errors.Join(err, file.Close()); err == nil {
		if err = own(part, mode); err == nil {
			err = f.root.Rename(part, f.name)
		}
	}
	return err
}

func keysMap(lines []authLine) *value.Map {
	out := value.NewMap()
	for _, l := range lines {
		if l.isKey {
			out.Set(l.key, value.NewMap("enc", l.enc, "comment", l.comment, "options", wire.AnyList(l.options), "fingerprint", l.finger))
		}
	}
	return out
}

func sshAuthKeys(ctx context.Context, c *Call) (any, error) {
	names, one := textList(c.Value("user")), false
	if _, list := c.Value("user").([]any); !list && given(c.Value("user")) {
		one = true
	}
	if len(names) == 0 {
		all, err := c.passwds(ctx, "")
		if err != nil {
			return nil, err
		}
		for _, u := range all {
			names = append(names, u.name)
		}
		slices.Sort(names)
	}
	out := value.NewMap()
	for _, name := range names {
		f, err := c.keyFile(ctx, name)
		if err != nil {
			continue // a user without a home folder has no keys
		}
		lines, err := f.read(c.Str("fingerprint_hash_type"))
		there, _ := f.root.Stat(f.name)
		_ = f.root.Close()
		if err != nil {
			return nil, err
		}
		if there != nil {
			out.Set(name, keysMap(lines))
		}
	}
	if one {
		if keys := out.Map(names[0]); keys != nil {
			return keys, nil
		}
		return value.NewMap(), nil
	}
	return out, nil
}

// wantedKey is the line that the arguments of a call mean.
func (c *Call) wantedKey() (authLine, error) {
	l := authLine{key: c.Str("key"), comment: c.Str("comment"), options: textList(c.Value("options")), isKey: true}
	var err error
	if l.enc, err = encOf(c.Str("enc")); err != nil {
		return l, err
	}
	if strings.ContainsAny(l.comment+strings.Join(l.options, ""), "\n\r\x00") {
		return l, InvocationErrorf("a comment or an option of a key has to be one line")
	}
	l.text = l.render()
	return l, nil
}

// find is where a key stands; -1: nowhere.
func findKey(lines []authLine, key string) int {
	return slices.IndexFunc(lines, func(l authLine) bool { return l.isKey && l.key == key })
}

func sshCheckKey(ctx context.Context, c *Call) (any, error) {
	want, err := c.wantedKey()
	if err != nil {
		return nil, err
	}
	f, err := c.keyFile(ctx, c.Str("user"))
	if err != nil {
		return "add", nil //nolint:nilerr // who is not there has no key
	}
	defer f.root.Close()
	lines, err := f.read(c.Str("fingerprint_hash_type"))
	switch at := findKey(lines, want.key); {
	case err != nil:
		return nil, err
	case at < 0:
		return "add", nil
	case lines[at].render() != want.render():
		return "update", nil
	}
	return "exists", nil
}

func sshSetKey(ctx context.Context, c *Call) (any, error) {
	key := c.Str("key")
	if len(strings.Fields(key)) != 1 {
		return "invalid", nil
	}
	want, err := c.wantedKey()
	if err != nil {
		return nil, err
	}
	finger, err := fingerprint(key, c.Str("fingerprint_hash_type"))
	if err != nil || finger == "" {
		return "Invalid public key", err
	}
	f, err := c.keyFile(ctx, c.Str("user"))
	if err != nil {
		return "fail", nil //nolint:nilerr // Salt tells it so
	}
	defer f.root.Close()
	lines, err := f.read(c.Str("fingerprint_hash_type"))
	if err != nil {
		return nil, err
	}
	told, at := "new", findKey(lines, key)
	switch {
	case at < 0:
		lines = append(lines, want)
	case lines[at].render() == want.render():
		return "no change", nil
	default:
		told, lines[at] = "replace", want
	}
	if err := f.write(lines); err != nil {
		return nil, CommandErrorf("Could not write to key file: %v", err)
	}
	return told, nil
}

func sshRemoveKey(ctx context.Context, c *Call) (any, error) {
	f, err := c.keyFile(ctx, c.Str("user"))
	if err != nil {
		return "Key not present", nil //nolint:nilerr // who is not there has no key
	}
	defer f.root.Close()
	lines, err := f.read(c.Str("fingerprint_hash_type"))
	if err != nil {
		return nil, err
	}
	if findKey(lines, c.Str("key")) < 0 {
		return "Key not present", nil
	}
	lines = slices.DeleteFunc(lines, func(l authLine) bool { return l.isKey && l.key == c.Str("key") })
	if err := f.write(lines); err != nil {
		logger(c.Env).Warn("a key is not removed", "user", c.Str("user"), "err", err)
		return "Key not removed", nil
	}
	return "Key removed", nil
}
