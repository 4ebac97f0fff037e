package batches

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

const (
	stateFile = ".batch.p"
	indexFile = "batch_active.p"
	// maxFile limits the bytes read from a file.
	maxFile = 64 << 20
)

// files stores the states of batches on disk.
type files struct {
	dir  string // the cachedir
	hash string // Salt's hash_type
	mu   sync.Mutex
}

func (f *files) path(id string) (string, error) {
	below, err := jid.Dir(id, f.hash)
	if err != nil {
		return "", fmt.Errorf("batch %s: %w", id, err)
	}
	return filepath.Join(f.dir, "jobs", below, stateFile), nil
}

// read reads the state of a batch. It returns nil if the file does not exist.
func (f *files) read(id string) (*batchstate.State, error) {
	path, err := f.path(id)
	if err != nil {
		return nil, err
	}
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as documented
	}
	if err != nil {
		return nil, fmt.Errorf("read batch %s: %w", id, err)
	}
	s, err := batchstate.Decode(b)
	if err == nil && s.JID != id {
		err = fmt.Errorf("%w: it belongs to job %s", batchstate.ErrState, s.JID)
	}
	if err != nil {
		return nil, fmt.Errorf("read batch %s: %s: %w", id, path, err)
	}
	return s, nil
}

// write replaces the state of a batch. Without an error, the state is on disk.
func (f *files) write(s *batchstate.State) error {
	path, err := f.path(s.JID)
	if err != nil {
		return err
	}
	b, err := s.Encode()
	if err != nil {
		return err
	}
	if err := replace(path, b); err != nil {
		return fmt.Errorf("write batch %s: %w", s.JID, err)
	}
	return nil
}

// remove deletes the state of a batch.
func (f *files) remove(id string) error {
	path, err := f.path(id)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove batch %s: %w", id, err)
	}
	return nil
}

// active lists the batches in progress.
func (f *files) active() ([]string, error) {
	b, err := readFile(filepath.Join(f.dir, indexFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of batches: %w", err)
	}
	ids, err := decodeIndex(b)
	if err != nil {
		return nil, fmt.Errorf("read the list of batches: %s: %w", filepath.Join(f.dir, indexFile), err)
	}
	return ids, nil
}

func decodeIndex(b []byte) ([]string, error) {
	ids, err := wire.Strings(b)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !jid.Valid(id) })
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// enlist adds a batch to the list of batches in progress, or removes it.
func (f *files) enlist(id string, on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids, err := f.active()
	if err != nil && on { // an unreadable list is replaced
		ids = nil
	}
	at, found := slices.BinarySearch(ids, id)
	switch {
	case found == on && err == nil:
		return nil
	case on && !found:
		ids = slices.Insert(ids, at, id)
	case found:
		ids = slices.Delete(ids, at, at+1)
	}
	b, err := wire.EncodeBus(wire.AnyList(ids))
	if err != nil {
		return fmt.Errorf("encode the list of batches: %w", err)
	}
	if err := replace(filepath.Join(f.dir, indexFile), b); err != nil {
		return fmt.Errorf("write the list of batches: %w", err)
	}
	return nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // the callers say what it is
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return b, err
}

// replace writes a temporary file and renames it over the old one.
func replace(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err //nolint:wrapcheck // it names the folder
	}
	return durable.WriteFile(path, b, 0o600) //nolint:wrapcheck // it names the file
}
