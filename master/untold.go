package master

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
	"github.com/momtree/mom/internal/wire"
)

// maxUntold bounds the closed jobs that are told to masters above again. Beyond it
// the oldest are given up: whoever asked for them has been away for very long.
const maxUntold = 4096

// untold marks the closed jobs of which the masters above that asked for them may
// not have heard who is missing, by one empty file each, over restarts.
type untold struct {
	dir string

	mu    sync.Mutex
	words map[string]uint64 // by jid: which word was the last about it
	last  uint64
}

func openUntold(cachedir string) (*untold, error) {
	u := &untold{dir: filepath.Join(cachedir, "untold_jobs"), words: map[string]uint64{}}
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

// add marks a job in the place of its mark as open, if it has one, and gives the
// number of the word that has to be heard.
func (u *untold) add(o openJobs, id string) (word uint64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	err = os.Rename(filepath.Join(o.dir, id), filepath.Join(u.dir, id))
	if errors.Is(err, fs.ErrNotExist) { // there was late word of a closed job
		err = openJobs{u.dir}.mark(id)
	}
	if err != nil {
		return 0, fmt.Errorf("mark job %s as closed: %w", id, err)
	}
	u.last++
	u.words[id] = u.last
	if len(u.words) > maxUntold {
		err = u.drop(slices.Min(slices.Collect(maps.Keys(u.words))))
	}
	return u.last, err
}

func (u *untold) drop(id string) error {
	delete(u.words, id)
	return openJobs{u.dir}.clear(id)
}

// told takes the mark of a job away unless there was another word since.
func (u *untold) told(id string, word uint64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.words[id] != word {
		return nil
	}
	return u.drop(id)
}

// list gives the jobs with their last words.
func (u *untold) list() map[string]uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.words)
}

// closed ends the mark of an open job whose account is closed and stored. A node
// keeps another one until the masters above that asked have heard of it: the event
// comes after all that was told of the job, and names what [Master.Told] is to say.
func (m *Master) closed(jid string) error {
	if m.parent == "" {
		return m.open.clear(jid)
	}
	word, err := m.untold.add(m.open, jid)
	if err != nil {
		return err
	}
	m.fire("salt/job/"+jid+"/closed", closedData(jid, word))
	return nil
}

func closedData(jid string, word uint64) *wire.Map {
	return wire.NewMap("jid", jid, "word", int64(word)) //nolint:gosec // counts closed jobs
}

// Told tells that the masters above that asked for a job have taken all that was
// told of it up to the event salt/job/<jid>/closed with that word.
func (m *Master) Told(jid string, word uint64) {
	if err := m.untold.told(jid, word); err != nil {
		m.log.Error("A job will be told to the masters above again", "jid", jid, "err", err)
	}
}
