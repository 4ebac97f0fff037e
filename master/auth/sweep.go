package auth

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	sweepEvery = 10 * time.Minute
	// sweepAgain is how often a full folder is swept to store a new token.
	sweepAgain = time.Minute
	// sweepStep is how many file names are read at once.
	sweepStep = 1000
	// leftAfter is the age at which a temporary file is removed.
	leftAfter = time.Hour
)

// sweep removes expired tokens and counts the others.
func (d *folder) sweep(ctx context.Context) {
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		d.counted(0)
		return
	}
	if err != nil {
		d.warn("token folder unreadable", d.path, err)
		return
	}
	defer f.Close()
	n := 0
	for ctx.Err() == nil {
		entries, err := f.ReadDir(sweepStep)
		for _, e := range entries {
			n += d.look(e)
		}
		if errors.Is(err, io.EOF) {
			d.counted(n)
			return
		}
		if err != nil {
			d.warn("token folder unreadable", d.path, err)
			return
		}
	}
}

func (d *folder) counted(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count, d.swept = n, d.now()
}

// look removes a file if it has expired, and returns how many tokens it leaves.
func (d *folder) look(e fs.DirEntry) int {
	name := e.Name()
	switch {
	case isID(strings.TrimSuffix(name, ext)):
		if _, err := d.get(strings.TrimSuffix(name, ext)); err == nil {
			return 1
		}
	case strings.HasSuffix(name, ".tmp") && e.Type().IsRegular(): // Salt's, or ours, that was cut off
		if fi, err := e.Info(); err == nil && d.now().Sub(fi.ModTime()) > leftAfter {
			if err := os.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				d.warn("temporary token file not removed", strings.TrimSuffix(name, ".tmp"), err)
			}
		}
	default:
		d.warn("token file ignored", name, errors.New("not the name of a token"))
	}
	return 0
}
