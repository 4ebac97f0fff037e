package books

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
)

// Open marks the jobs whose account is not closed by one empty file each, so
// that a restart finds them without reading the whole job store. A mark that was
// taken away may be there again after a loss of power: its job is looked at once more.
type Open struct {
	dir  string
	sync *durable.Syncer
}

func openAt(dir string) Open { return Open{dir, durable.Dir(dir)} }

// NewOpen makes the folder of the marks below cachedir.
func NewOpen(cachedir string) (Open, error) {
	o := openAt(filepath.Join(cachedir, "open_jobs"))
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return o, fmt.Errorf("make folder of open jobs: %w", err)
	}
	return o, nil
}

// Mark notes that a job is open, over a loss of power too. The jid has to be valid.
func (o Open) Mark(jid string) error {
	f, err := os.OpenFile(filepath.Join(o.dir, jid), os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // a valid jid is no path
	if err != nil {
		return fmt.Errorf("mark job %s as open: %w", jid, err)
	}
	if err := errors.Join(f.Close(), o.sync.Wait()); err != nil {
		return fmt.Errorf("mark job %s as open: %w", jid, err)
	}
	return nil
}

// Clear takes the mark away, if there is one.
func (o Open) Clear(jid string) error {
	if err := os.Remove(filepath.Join(o.dir, jid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mark job %s as closed: %w", jid, err)
	}
	return nil
}

// Has tells whether a job is marked.
func (o Open) Has(jid string) bool {
	_, err := os.Lstat(filepath.Join(o.dir, jid))
	return err == nil
}

// List gives the jobs that are marked.
func (o Open) List() ([]string, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return nil, fmt.Errorf("list open jobs: %w", err)
	}
	var out []string
	for _, e := range entries {
		if jid.Valid(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
