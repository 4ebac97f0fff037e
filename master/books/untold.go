package books

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/jid"
)

// Untold marks the closed jobs of which the masters above that asked for them may
// not have heard who is missing, by one empty file each, over restarts.
type Untold struct {
	dir   string
	marks Open
	most  int

	mu    sync.Mutex
	words map[string]uint64 // by jid: which word was the last about it
	last  uint64
}

// NewUntold reads the marks below cachedir. Beyond most jobs (bound untold_jobs) the
// oldest are given up: whoever asked for them has been away for very long.
func NewUntold(cachedir string, most int) (*Untold, error) {
	dir := filepath.Join(cachedir, "untold_jobs")
	u := &Untold{dir: dir, marks: openAt(dir), most: most, words: map[string]uint64{}}
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of untold jobs: %w", err)
	}
	entries, err := os.ReadDir(u.dir)
	if err != nil {
		return nil, fmt.Errorf("list untold jobs: %w", err)
	}
	for _, e := range entries {
		if jid.Valid(e.Name()) {
			u.last++
			u.words[e.Name()] = u.last
		}
	}
	return u, nil
}

// Add marks a job in the place of its mark as open (one of the two is there after a loss
// of power), if it has one, and gives the
// number of the word that has to be heard.
func (u *Untold) Add(o Open, id string) (word uint64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	err = os.Rename(filepath.Join(o.dir, id), filepath.Join(u.dir, id))
	if errors.Is(err, fs.ErrNotExist) { // there was late word of a closed job
		err = u.marks.Mark(id)
	}
	if err != nil {
		return 0, fmt.Errorf("mark job %s as closed: %w", id, err)
	}
	u.last++
	u.words[id] = u.last
	if len(u.words) > u.most {
		err = u.drop(slices.Min(slices.Collect(maps.Keys(u.words))))
	}
	return u.last, err
}

func (u *Untold) drop(id string) error {
	delete(u.words, id)
	return u.marks.Clear(id)
}

// Told takes the mark of a job away unless there was another word since.
func (u *Untold) Told(id string, word uint64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.words[id] != word {
		return nil
	}
	return u.drop(id)
}

// Word gives the last word of a job that is marked.
func (u *Untold) Word(id string) (word uint64, marked bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	word, marked = u.words[id]
	return word, marked
}

// List gives the jobs with their last words.
func (u *Untold) List() map[string]uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.words)
}
