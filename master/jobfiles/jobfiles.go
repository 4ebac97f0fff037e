package jobfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Names below the folder of a job.
const (
	jidFile     = "jid"
	loadFile    = ".load.p"
	minionsFile = ".minions.p"
)

// Options of a [Folder]. Zero fields mean the defaults.
type Options struct {
	// Dir is the folder jobs in the master's cachedir.
	Dir string
	// HashType is Salt's hash_type. Default sha256.
	HashType string
	// Keep is how long jobs are kept; 0 keeps them for ever.
	Keep time.Duration
	// Every is the time between two clean-ups. Default one hour.
	Every time.Duration
	Log   *slog.Logger // default slog.Default
	// Age is the clock for the age of jobs, and stamps their files. Default time.Now.
	Age func() time.Time
	// Steady reports whether ages can be trusted; if not, nothing is removed. Default:
	// always true.
	Steady func() bool
	// Busy lists the jobs to keep whatever their age. Default: none.
	Busy func() []string
}

// Folder holds the files of all jobs. It is safe for concurrent use.
type Folder struct {
	o       Options
	delayed delayed
}

// Open creates the folder.
func Open(o Options) (*Folder, error) {
	if o.Every <= 0 {
		o.Every = time.Hour
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Age == nil {
		o.Age = time.Now
	}
	if o.Steady == nil {
		o.Steady = func() bool { return true }
	}
	if o.Busy == nil {
		o.Busy = func() []string { return nil }
	}
	if _, err := jid.Dir("", o.HashType); err != nil {
		return nil, fmt.Errorf("open job files: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open job files: %w", err)
	}
	return &Folder{o: o}, nil
}

// Save writes a job. It replaces an earlier version.
func (f *Folder) Save(id string, load wire.Raw, minions []string) error {
	below, err := jid.Dir(id, f.o.HashType)
	if err != nil {
		return fmt.Errorf("save job %s: %w", id, err)
	}
	loadBytes, err := wire.ToBus(load)
	if err != nil {
		return fmt.Errorf("save the load of job %s: %w", id, err)
	}
	minionBytes, err := wire.EncodeBus(minions)
	if err != nil {
		return fmt.Errorf("save the minions of job %s: %w", id, err)
	}
	dir := filepath.Join(f.o.Dir, below)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save job %s: %w", id, err)
	}
	// The load is written last: a reader that finds it finds everything.
	for _, file := range []struct {
		name string
		data []byte
	}{{jidFile, []byte(id)}, {minionsFile, minionBytes}, {loadFile, loadBytes}} {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.data, 0o600); err != nil {
			return fmt.Errorf("save job %s: %w", id, err)
		}
	}
	now := f.o.Age()
	if err := os.Chtimes(filepath.Join(dir, jidFile), now, now); err != nil {
		return fmt.Errorf("save job %s: %w", id, err)
	}
	return nil
}

// Run removes old jobs periodically, until ctx ends.
func (f *Folder) Run(ctx context.Context) {
	if f.o.Keep <= 0 {
		return
	}
	tick := time.NewTicker(f.o.Every)
	defer tick.Stop()
	for {
		if _, err := f.Clean(ctx); err != nil && ctx.Err() == nil {
			f.o.Log.Warn("old job files not removed", "path", f.o.Dir, "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Clean removes the jobs older than Options.Keep that are not busy, and returns how many.
func (f *Folder) Clean(ctx context.Context) (n int, err error) {
	busy := f.o.Busy()
	if !f.o.Steady() {
		return 0, nil
	}
	before := f.o.Age().Add(-f.o.Keep)
	heads, err := os.ReadDir(f.o.Dir)
	if err != nil {
		return 0, fmt.Errorf("clean job files: %w", err)
	}
	var errs []error
	for _, head := range heads {
		if !head.IsDir() || !isHex(head.Name(), 2) {
			continue
		}
		dir := filepath.Join(f.o.Dir, head.Name())
		jobs, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, job := range jobs {
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			path := filepath.Join(dir, job.Name())
			if !job.IsDir() || !isHex(job.Name(), 0) || !older(path, before) || slices.Contains(busy, jobOf(path)) {
				continue
			}
			if err := os.RemoveAll(path); err != nil {
				errs = append(errs, err)
				continue
			}
			n++
		}
	}
	if err := errors.Join(errs...); err != nil {
		return n, fmt.Errorf("clean job files: %w", err)
	}
	return n, nil
}

// older reports whether a job is older than before, by its file jid. Without that file, the job is
// incomplete, and the age of the folder counts.
func older(dir string, before time.Time) bool {
	info, err := os.Stat(filepath.Join(dir, jidFile))
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(dir)
	}
	return err == nil && info.ModTime().Before(before)
}

// jobOf returns the jid of a job's folder, or "".
func jobOf(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, jidFile))
	if err != nil {
		return ""
	}
	return string(b)
}

// isHex reports whether a name consists of n hexadecimal digits; n = 0 allows any number.
func isHex(name string, n int) bool {
	if name == "" || n > 0 && len(name) != n {
		return false
	}
	for _, c := range name {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
