package admitted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// Kind is what a key is admitted as. Its text is the directory of the admissions in pki_dir.
type Kind string

// The kinds.
const (
	Nodes Kind = Dir
	Tops  Kind = "tops_admitted" // the other tops of a cluster
)

// Dir is the directory of the admissions of nodes in pki_dir.
const Dir = "nodes_admitted"

func (k Kind) noun() string {
	if k == Tops {
		return "top"
	}
	return "node"
}

// maxFile bounds the size of an admission file, which holds a fingerprint and a line end.
const maxFile = 256

// ErrNoKey is returned for an id without a key to admit.
var ErrNoKey = errors.New("no accepted or pending key")

// checkID rejects an id that is not a valid file name.
func checkID(id string) error {
	if id == "" || strings.HasPrefix(id, ".") || strings.ContainsAny(id, "/\\\x00\n") || len(id) > 255 {
		return fmt.Errorf("id %q cannot be the name of a key", id)
	}
	return nil
}

// Admit is [Kind.Admit] for a node.
func Admit(pkiDir, id string) (finger string, err error) { return Nodes.Admit(pkiDir, id) }

// Withdraw is [Kind.Withdraw] for a node.
func Withdraw(pkiDir, id string) (was bool, err error) { return Nodes.Withdraw(pkiDir, id) }

// Read is [Kind.Read] for a node.
func Read(pkiDir, id string) (finger string, err error) { return Nodes.Read(pkiDir, id) }

// List is [Kind.List] for nodes.
func List(pkiDir string) (map[string]string, error) { return Nodes.List(pkiDir) }

// Admit admits the key of id in pki_dir, the accepted one, otherwise the pending one, and
// returns its fingerprint (crypt.Finger). The admission is on disk when Admit returns. The
// error is [ErrNoKey] if id has no key.
func (k Kind) Admit(pkiDir, id string) (finger string, err error) {
	if err := checkID(id); err != nil {
		return "", fmt.Errorf("admit a %s: %w", k.noun(), err)
	}
	for _, folder := range []string{"minions", "minions_pre"} {
		text, err := os.ReadFile(filepath.Join(pkiDir, folder, id))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("admit %s %s: %w", k.noun(), id, err)
		}
		pub, err := crypt.ParsePublicPEM(string(text))
		if err != nil {
			return "", fmt.Errorf("admit %s %s: its key in %s: %w", k.noun(), id, folder, err)
		}
		finger = crypt.Finger(pub)
		return finger, k.write(pkiDir, id, finger)
	}
	return "", fmt.Errorf("admit %s %s: %w of that id in %s: start the %[1]s, look at `salt-key -L`, and admit it then", k.noun(), id, ErrNoKey, pkiDir)
}

func (k Kind) write(pkiDir, id, finger string) error {
	dir := filepath.Join(pkiDir, string(k))
	if err := durable.Folder(dir, 0o700); err != nil {
		return fmt.Errorf("admit %s %s: %w", k.noun(), id, err)
	}
	if have, err := k.Read(pkiDir, id); err == nil && have == finger {
		return nil
	}
	if err := durable.WriteFile(filepath.Join(dir, id), []byte(finger+"\n"), 0o644); err != nil {
		return fmt.Errorf("admit %s %s: %w", k.noun(), id, err)
	}
	return nil
}

// Withdraw removes an admission; was reports whether it existed.
func (k Kind) Withdraw(pkiDir, id string) (was bool, err error) {
	if err := checkID(id); err != nil {
		return false, fmt.Errorf("withdraw an admission: %w", err)
	}
	//mutant:power-withdrawn-admissions
	err = durable.Remove(filepath.Join(pkiDir, string(k), id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("withdraw the admission of %s: %w", id, err)
	}
	return true, nil
}

// Read returns the fingerprint in the admission of id. A file that others than its owner may
// write to is an error.
func (k Kind) Read(pkiDir, id string) (finger string, err error) {
	if err := checkID(id); err != nil {
		return "", fmt.Errorf("read an admission: %w", err)
	}
	path := filepath.Join(pkiDir, string(k), id)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the admission of %s: %w", id, err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return "", fmt.Errorf("admission %s does not count: it is not a regular file of at most %d bytes", path, maxFile)
	case info.Mode()&0o022 != 0:
		return "", fmt.Errorf("admission %s does not count: mode %04o lets others write, use chmod go-w", path, info.Mode().Perm())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the admission of %s: %w", id, err)
	}
	return parse(b)
}

func parse(b []byte) (finger string, err error) {
	finger = strings.TrimSpace(string(b))
	if !crypt.IsFinger(finger) {
		return "", errors.New("an admission holds no fingerprint; give it anew with `mom node admit`")
	}
	return finger, nil
}

// List returns all admissions in pki_dir: fingerprints by id. Invalid ones are left out and
// reported in err. A missing directory is not an error.
func (k Kind) List(pkiDir string) (map[string]string, error) {
	entries, err := os.ReadDir(filepath.Join(pkiDir, string(k)))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read who is admitted: %w", err)
	}
	out := make(map[string]string, len(entries))
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		finger, err := k.Read(pkiDir, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was withdrawn meanwhile
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.Name(), err))
			continue
		}
		out[e.Name()] = finger
	}
	return out, errors.Join(errs...)
}
