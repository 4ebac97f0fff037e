package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/lru"
)

// journal is the file of the last jids that this minion has started, one per line. A master sends
// a job again to a minion that may have missed it. After a restart of the minion, only this
// file shows that the job has run.
//
// A jid is written after the job is recorded in the directory proc, or its return is stored,
// and not before: a job that is in neither must run.
type journal struct {
	path  string
	limit int

	mu    sync.Mutex
	known *lru.Guarded[string, struct{}]
	file  *os.File
	lines int
	sync  *durable.Syncer
}

// openJournal reads the last limit jids that earlier runs have started.
func openJournal(path string, limit int) (*journal, error) {
	if err := durable.Folder(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the record of started jobs: %w", err)
	}
	d := &journal{path: path, limit: max(limit, 1), known: lru.NewGuarded[string, struct{}](limit, nil)}
	d.sync = durable.Held(d.held)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the record of started jobs: %w", err)
	}
	for _, jid := range parseJournal(b) {
		d.add(jid)
	}
	if err := d.rewrite(); err != nil {
		return nil, err
	}
	return d, nil
}

// parseJournal returns the usable jids of whole lines. The last line may be cut off.
func parseJournal(b []byte) []string {
	end := bytes.LastIndexByte(b, '\n')
	if end < 0 {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(string(b[:end]), "\n") {
		if jid.Usable(line) == nil {
			out = append(out, line)
		}
	}
	return out
}

// add adds a jid in memory and reports whether it is new.
func (d *journal) add(jid string) bool {
	if d.known.Contains(jid) {
		return false
	}
	d.known.Add(jid, struct{}{})
	return true
}

// rewrite replaces the file by the jids in memory.
func (d *journal) rewrite() error {
	if d.file != nil {
		_ = d.file.Close() // it is replaced
		d.file = nil
	}
	text := ""
	if d.known.Len() > 0 {
		text = strings.Join(d.known.Keys(), "\n") + "\n"
	}
	if err := durable.WriteFile(d.path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("rewrite the record of started jobs: %w", err)
	}
	f, err := os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("rewrite the record of started jobs: %w", err)
	}
	d.file, d.lines = f, d.known.Len()
	return nil
}

// note writes a jid. After it returns, the jid survives the end of the process and a power
// failure. Jobs that start together share a sync.
func (d *journal) note(jid string) error {
	if err := d.write(jid); err != nil {
		return err
	}
	//mutant:job-record-is-synced,power-job-record
	if err := d.sync.Wait(); err != nil {
		return fmt.Errorf("write the record of started jobs: %w", err)
	}
	return nil
}

func (d *journal) held() *os.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.file
}

func (d *journal) write(jid string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil || strings.Contains(jid, "\n") || !d.add(jid) {
		return nil
	}
	if d.lines >= 2*d.limit+64 {
		return d.rewrite()
	}
	d.lines++
	if _, err := d.file.WriteString(jid + "\n"); err != nil {
		return fmt.Errorf("write the record of started jobs: %w", err)
	}
	return nil
}

// jids returns the jids in memory, oldest first.
func (d *journal) jids() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known.Keys()
}

func (d *journal) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	err := errors.Join(d.file.Sync(), d.file.Close())
	d.file = nil
	return err
}

// remember records that a job was started.
func (j *Jobs) remember(jid string) {
	if j.journal == nil {
		return
	}
	if err := j.journal.note(jid); err != nil {
		j.Log.Warn("job not recorded, it may run again after a restart", "jid", jid, "err", err)
	}
}
