package jobfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Names below the folder of a minion in that of a job.
const (
	returnFile = "return.p"
	outFile    = "out.p"
)

// Return writes the return of a minion like Salt's local_cache: the fields return, retcode and
// success, and out in its own file. It ignores a second return of the minion. The job need not
// have been saved.
func (f *Folder) Return(id, minion string, full wire.Raw) error {
	below, err := jid.Dir(id, f.o.HashType)
	if err != nil {
		return fmt.Errorf("save a return of job %s: %w", id, err)
	}
	if minion == "" || minion == "." || minion == ".." || filepath.Base(minion) != minion {
		return fmt.Errorf("save a return of job %s: %q is not a valid folder name", id, minion)
	}
	d, err := wire.DecodeMap(full)
	if err != nil {
		return fmt.Errorf("save the return of %s to job %s: %w", minion, id, err)
	}
	kept := wire.NewMap()
	for _, name := range []string{"return", "retcode", "success"} {
		if v, ok := d.Get(name); ok {
			kept.Set(name, v)
		}
	}
	dir := filepath.Join(f.o.Dir, below, minion)
	// The return is written last: without it, a crash has interrupted the first one.
	if _, err := os.Lstat(filepath.Join(dir, returnFile)); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save the return of %s to job %s: %w", minion, id, err)
	}
	if out, ok := d.Get("out"); ok {
		err = place(filepath.Join(dir, outFile), out)
	}
	if err = errors.Join(err, place(filepath.Join(dir, returnFile), kept)); err != nil {
		return fmt.Errorf("save the return of %s to job %s: %w", minion, id, err)
	}
	return nil
}

// place writes a value atomically.
func place(path string, v any) error {
	data, err := wire.EncodeBus(v)
	if err != nil {
		return err
	}
	return durable.WriteFileLazy(path, data, 0o600) //nolint:wrapcheck // it names the file
}

// Folders creates the folders in cachedir that Salt's programs expect.
func Folders(cachedir string) error {
	for _, name := range []string{"jobs", "tokens", "proc"} {
		if err := durable.Folder(filepath.Join(cachedir, name), 0o700); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return nil
}
