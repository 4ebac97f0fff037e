package roles

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/admitted"
)

// settled is how old the folder's modification time must be before it can be compared: some file
// systems store it in units of up to two seconds.
const settled = 3 * time.Second

// Look reads the admissions if their folder may have changed, and returns the ids that were admitted
// or lost their admission. The master calls it every second.
func (b *Book) Look() (changed []string) {
	b.lookAtTops()
	dir := filepath.Join(b.o.PkiDir, admitted.Dir)
	info, err := os.Stat(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.o.Log.Error("admissions unreadable, keeping the last known", "path", dir, "err", err)
		return nil
	}
	var at time.Time
	if err == nil {
		at = info.ModTime()
	}
	b.mu.RLock()
	same := !b.seen.IsZero() && at.Equal(b.seen)
	b.mu.RUnlock()
	if same {
		return nil
	}
	now, err := admitted.List(b.o.PkiDir)
	if now == nil {
		b.o.Log.Error("admissions unreadable, keeping the last known", "path", dir, "err", err)
		return nil
	}
	if err != nil {
		b.o.Log.Warn("invalid admissions ignored", "path", dir, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, finger := range now {
		if b.admitted[id] != finger {
			changed = append(changed, id)
		}
	}
	for id := range b.admitted {
		if _, still := now[id]; !still {
			changed = append(changed, id)
		}
	}
	b.admitted, b.seen = maps.Clone(now), time.Time{}
	if !at.IsZero() && b.o.Now().Sub(at) > settled {
		b.seen = at
	}
	return changed
}

// withdraw removes the admission of an id whose key was deleted. The caller holds b.mu.
func (b *Book) withdraw(id string) error {
	var errs []error
	if _, ok := b.admitted[id]; ok {
		delete(b.admitted, id)
		b.seen = time.Time{}
		_, err := admitted.Withdraw(b.o.PkiDir, id)
		errs = append(errs, err)
	}
	if _, ok := b.tops[id]; ok {
		delete(b.tops, id)
		_, err := admitted.Tops.Withdraw(b.o.PkiDir, id)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// dropOrphans removes admissions of ids with neither an accepted nor a pending key: the key was
// deleted while this master was down.
func (b *Book) dropOrphans() {
	all, err := admitted.List(b.o.PkiDir)
	if err != nil {
		b.o.Log.Warn("invalid admissions ignored", "err", err)
	}
	for id := range all {
		if b.o.Keys.Accepted(id) {
			continue
		}
		if _, err := os.Stat(filepath.Join(b.o.PkiDir, "minions_pre", id)); err == nil {
			continue
		}
		b.o.Log.Warn("admission of a deleted key removed", "node", id)
		if _, err := admitted.Withdraw(b.o.PkiDir, id); err != nil {
			b.o.Log.Error("admission not removed", "node", id, "err", err)
		}
	}
}
