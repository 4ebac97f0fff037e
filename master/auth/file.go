package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
)

func init() {
	Register(Driver{
		Name: "file",
		Doc:  "A file with names and passwords, read at each login.",
		Options: []Option{
			{Name: "^filename", Type: "string", Doc: "The file. Required."},
			{Name: "^filetype", Type: "string", Default: "text", Doc: "Format: `text`, `htpasswd` or `htdigest`."},
			{Name: "^realm", Type: "string", Doc: "Realm of htdigest. Required for it."},
			{Name: "^hashtype", Type: "string", Default: "plaintext", Doc: "Form of passwords in text: `plaintext`, or the hex digits of `md5`, `sha1`, `sha224`, `sha256`, `sha384` or `sha512`."},
			{Name: "^field_separator", Type: "string", Default: ":", Doc: "Separator of fields in text."},
			{Name: "^username_field", Type: "integer, 1–1000", Default: "1", Doc: "Number of the field with the name."},
			{Name: "^password_field", Type: "integer, 1–1000", Default: "2", Doc: "Number of the field with the password."},
		},
		AtOnce: max(1, runtime.GOMAXPROCS(0)/2),
		Open:   func(cf Config) (Backend, error) { return openFile(cf) },
	})
}

// maxPasswordFile bounds a password file, in bytes.
const maxPasswordFile = 16 << 20

// maxFilePassword bounds the passwords compared with a hash, as some algorithms take quadratic time.
const maxFilePassword = 1 << 10

// passwordFile is a file of names and passwords.
type passwordFile struct {
	path string
	form fileForm
	cf   Config

	mu   sync.Mutex
	read bool
	sum  [sha256.Size]byte // of what was read last
	has  passwords
}

func openFile(cf Config) (*passwordFile, error) {
	v := ownValues(cf)
	f := &passwordFile{path: v.text("filename", ""), cf: cf, form: fileForm{
		kind: strings.ToLower(v.text("filetype", "text")), realm: v.text("realm", ""),
		hash: strings.ToLower(v.text("hashtype", "plaintext")), separator: v.text("field_separator", ":"),
		name: v.number("username_field", 1, 1, 1000) - 1, password: v.number("password_field", 2, 1, 1000) - 1,
	}}
	if f.path == "" {
		v.fault("filename", "is missing: name the file with the passwords")
	}
	switch f.form.kind {
	case "text", "htpasswd":
	case "htdigest":
		if f.form.realm == "" {
			v.fault("realm", "is missing: a file of htdigest has passwords of several")
		}
	default:
		v.fault("filetype", "%q is not known; use text, htpasswd or htdigest", f.form.kind)
	}
	if f.form.hash != "plaintext" {
		if _, err := crypt.NewHash(f.form.hash); err != nil {
			v.fault("hashtype", "%q is not known; use plaintext, md5, sha1, sha224, sha256, sha384 or sha512", f.form.hash)
		}
	}
	if f.form.separator == "" {
		v.fault("field_separator", "is empty")
	}
	if f.form.name == f.form.password {
		v.fault("password_field", "is the field of the names")
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if _, err := f.load(); err != nil {
		cf.Log.Error("password file unreadable, logins by file fail", "err", err)
	}
	return f, nil
}

// load reads the file. It logs invalid lines once for each content.
func (f *passwordFile) load() (passwords, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return passwords{}, fmt.Errorf("read passwords: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxPasswordFile+1))
	if err == nil && len(b) > maxPasswordFile {
		err = fmt.Errorf("it has more than %d bytes", maxPasswordFile)
	}
	if err != nil {
		return passwords{}, fmt.Errorf("read passwords of %s: %w", f.path, err)
	}
	sum := sha256.Sum256(b)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read && sum == f.sum {
		return f.has, nil
	}
	has, wrong := readPasswords(bytes.NewReader(b), f.form)
	f.read, f.sum, f.has = true, sum, has
	for i, w := range wrong {
		if i == maxWrongLines {
			f.cf.Log.Error("more invalid lines in password file", "path", f.path, "lines", len(wrong)-i)
			break
		}
		f.cf.Log.Error("invalid line in password file", "path", f.path, "line", w.line, "err", w.err)
	}
	return has, nil
}

// maxWrongLines bounds the invalid lines that are logged one by one.
const maxWrongLines = 10

func (f *passwordFile) Check(_ context.Context, c Credentials) (Identity, error) {
	has, err := f.load()
	if err != nil {
		return Identity{}, err
	}
	if len(c.Password) > maxFilePassword {
		return Identity{}, denied("a password of %d bytes", len(c.Password))
	}
	p, known := has.of[c.Username]
	if !known {
		p = has.decoy // a name that is not there costs as much
	}
	switch {
	case p == nil:
		return Identity{}, denied("the file has nobody in it")
	case !p.matches(c.Username, c.Password):
		return Identity{}, denied("wrong name or password")
	case !known:
		return Identity{}, denied("wrong name or password")
	}
	return Identity{Name: c.Username}, nil
}

// errNoHash says that a password has an unknown hash.
var errNoHash = errors.New("unknown kind of hash; create a new one, such as with htpasswd -B")
