package roles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// File in pki_dir holds one line per key: fingerprint, role and quoted id. A later line of an id
// replaces an earlier one. "-" in place of fingerprint and role means that the key was deleted.
const File = "roles"

const gone = "-"

// load reads the file, and rewrites it if much of it is outdated.
func (b *Book) load() error {
	f, err := os.Open(b.path())
	lines, torn := 0, 0
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		lines, torn, err = read(f, func(id string, x fixed) {
			if x.role == None {
				delete(b.fixed, id)
			} else {
				b.fixed[id] = x
			}
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("read %s: %w", b.path(), err)
		}
	}
	if torn > 0 {
		b.o.Log.Warn("unreadable lines in the roles file skipped", "path", b.path(), "lines", torn)
	}
	for id, f := range b.fixed {
		if !b.o.Keys.Accepted(id) {
			b.orphans[id] = f.key
			delete(b.fixed, id)
		}
	}
	if len(b.orphans) > 0 || torn > 0 || lines > 2*len(b.fixed)+100 {
		if err := b.rewrite(); err != nil {
			return err
		}
	}
	b.file, err = os.OpenFile(b.path(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	//mutant:power-roles
	return errors.Join(err, durable.Names(b.o.PkiDir))
}

// read calls take for each line; torn counts invalid lines.
func read(r io.Reader, take func(id string, f fixed)) (lines, torn int, err error) {
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		lines++
		id, f, ok := parse(scan.Text())
		if !ok {
			torn++
			continue
		}
		take(id, f)
	}
	return lines, torn, scan.Err()
}

func parse(line string) (id string, f fixed, ok bool) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) != 3 {
		return "", f, false
	}
	id, err := strconv.Unquote(parts[2])
	if err != nil || id == "" {
		return "", f, false
	}
	if parts[0] == gone && parts[1] == gone {
		return id, f, true
	}
	f.role = Role(parts[1])
	f.key, ok = crypt.ParseFinger(parts[0])
	return id, f, ok && (f.role == Minion || f.role == Syndic)
}

func format(id string, f fixed) string {
	if f.role == None {
		return fmt.Sprintf("%s %s %q\n", gone, gone, id)
	}
	return fmt.Sprintf("%s %s %q\n", f.key, f.role, id)
}

// write appends a line. The caller holds b.mu.
func (b *Book) write(id string, f fixed, sync bool) error {
	if b.file == nil {
		return fs.ErrClosed
	}
	//mutant:roles-outlive-the-process
	if _, err := b.file.WriteString(format(id, f)); err != nil {
		return err
	}
	if !sync {
		b.dirty = true
		return nil
	}
	return b.file.Sync()
}

// renew replaces the file after a failed write. The caller holds b.mu.
func (b *Book) renew() error {
	if err := b.rewrite(); err != nil {
		return fmt.Errorf("write roles of keys: %w", err)
	}
	f, err := os.OpenFile(b.path(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("write roles of keys: %w", err)
	}
	err = b.file.Close()
	b.file, b.lost, b.dirty = f, false, false
	return err
}

// rewrite replaces the file.
func (b *Book) rewrite() error {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(b.fixed)) {
		text.WriteString(format(id, b.fixed[id]))
	}
	return durable.WriteFile(b.path(), []byte(text.String()), 0o600)
}
