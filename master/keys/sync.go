package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// dirMode is the mode of new key folders: whoever can write there decides who is accepted.
const dirMode fs.FileMode = 0o700

// settled is how old a folder's modification time must be before it can be compared: some file
// systems store it in units of up to two seconds.
const settled = 3 * time.Second

// errNotDir is the error for a path below a file.
var errNotDir error = syscall.ENOTDIR

// scan returns the names in a folder, and the modification time of the folder before the read.
func (s *Store) scan(st State) (names []string, seen time.Time, err error) {
	dir := filepath.Join(s.opts.PkiDir, st.Folder())
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = durable.Folder(dir, dirMode); err == nil {
			d, err = os.Open(dir)
		}
	}
	if err != nil {
		return nil, seen, fmt.Errorf("read key folder: %w", err)
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil {
		return nil, seen, fmt.Errorf("read key folder: %w", err)
	}
	if at := info.ModTime(); s.opts.Now().Sub(at) > settled {
		seen = at
	}
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, seen, fmt.Errorf("read key folder: %w", err)
	}
	names = make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if name[0] == '.' || e.IsDir() {
			continue
		}
		if !e.Type().IsRegular() { // a link counts as what it points to
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
				continue
			}
		}
		names = append(names, name)
	}
	return names, seen, nil
}

// read reads and parses one key file.
func (s *Store) read(st State, id string) (*content, error) {
	path := s.path(st, id)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxPubBytes {
		return nil, fmt.Errorf("read key %s: not a regular file of at most %d bytes", path, maxPubBytes)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	c := &content{stamp: stampOf(info), sum: sumOf(string(b))}
	if c.pub, c.err = crypt.ParsePublicPEM(string(b)); c.err != nil {
		c.err = fmt.Errorf("key of %q in %s: %w", id, st, c.err)
		return c, nil
	}
	c.finger = crypt.SumKey(c.pub)
	return c, nil
}

// refresh updates the index for one id in one folder from the disk, and reports changes. All updates
// go through it, so it does not matter who notices a change first. hint says that the content may
// have changed although the file's time and size have not.
func (s *Store) refresh(st State, id string, hint bool) {
	s.change.Lock()
	defer s.change.Unlock()
	info, err := os.Stat(s.path(st, id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir) {
		s.log.Warn("key file unreadable, keeping the last known state", "path", s.path(st, id), "id", id, "err", err)
		return
	}
	present := err == nil && info.Mode().IsRegular()

	e := s.entry(st, id)
	switch {
	case present && e == nil:
		s.put(st, id, new(entry))
		s.notify(Change{Key: Key{st, id}, Op: Added})
	case !present && e != nil:
		s.put(st, id, nil)
		//mutant:deleted-while-written
		was := e.named.Load()
		if was == nil {
			was = new(crypt.FingerSum)
		}
		s.notify(Change{Key: Key{st, id}, Op: Removed, Was: *was})
	case present:
		e.changes.Add(1)
		old := e.content.Load()
		if old == nil || !hint && old.stamp == stampOf(info) {
			return
		}
		now, err := s.read(st, id)
		if err != nil || now.err != nil {
			e.content.Store(nil) // not a key (yet); read it again on use
			if err == nil && now.sum != old.sum {
				s.notify(Change{Key: Key{st, id}, Op: Replaced, Was: old.finger})
			}
			return
		}
		e.named.Store(&now.finger)
		e.content.Store(now)
		if now.sum != old.sum {
			s.notify(Change{Key: Key{st, id}, Op: Replaced, Was: old.finger})
		}
	}
}

func fingerOf(c *content) (sum crypt.FingerSum) {
	if c != nil {
		sum = c.finger
	}
	return sum
}

func (s *Store) put(st State, id string, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.folders[st]
	if e == nil {
		delete(f.ids, id)
	} else {
		f.ids[id] = e
	}
	f.dirty[id] = struct{}{}
}

// Refresh updates the index for one id in every folder. It costs a stat per folder; each sign-in calls
// it, so that its decision is current. A pending key that is moved meanwhile is seen in both folders
// rather than in none.
func (s *Store) Refresh(id string) {
	s.refresh(Pending, id, false)
	for st := range numStates {
		if st != Pending {
			s.refresh(st, id, false)
		}
	}
}

// Reconcile updates the whole index: names by one read of each folder, and contents by a stat of each
// cached key.
func (s *Store) Reconcile() error {
	var errs []error
	for st := range numStates {
		if err := s.reconcileNames(st); err != nil {
			errs = append(errs, err)
			continue
		}
		for id, old := range s.remembered(st) {
			if info, err := os.Stat(s.path(st, id)); err != nil || stampOf(info) != old {
				s.refresh(st, id, false)
			}
		}
	}
	return errors.Join(errs...)
}

// reconcileNames compares names only. It checks a name that differs again under the lock, since a key
// may have moved since the folder was read.
func (s *Store) reconcileNames(st State) error {
	names, seen, err := s.scan(st)
	if err != nil {
		return err
	}
	onDisk := make(map[string]struct{}, len(names))
	for _, id := range names {
		onDisk[id] = struct{}{}
	}
	var differ []string
	s.mu.Lock()
	f := &s.folders[st]
	f.seen = seen
	for id := range f.ids {
		if _, ok := onDisk[id]; !ok {
			differ = append(differ, id)
		}
	}
	for _, id := range names {
		if f.ids[id] == nil {
			differ = append(differ, id)
		}
	}
	s.mu.Unlock()
	for _, id := range differ {
		s.refresh(st, id, false)
	}
	return nil
}

func (s *Store) remembered(st State) map[string]stamp {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[string]stamp)
	for id, e := range s.folders[st].ids {
		if c := e.content.Load(); c != nil {
			out[id] = c.stamp
		}
	}
	return out
}
