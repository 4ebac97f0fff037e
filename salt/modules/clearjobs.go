package modules

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

func init() {
	Register("saltutil", Function{Name: "clear_job_cache", Args: []Arg{{Name: "hours", Default: int64(24)}}, Run: clearJobCache, Doc: `
Remove the job returns cached by this minion (option cache_jobs) that are older
than the given hours.

CLI Example:

    salt '*' saltutil.clear_job_cache hours=12
`})
}

// clearJobCache removes the folders of old jobs. Links are not followed.
func clearJobCache(ctx context.Context, c *Call) (any, error) {
	hours, err := c.Float("hours")
	if err != nil {
		return nil, err
	}
	if math.IsNaN(hours) || math.Abs(hours) > 1e6 {
		return nil, argErrorf("hours must be a number of hours, not %s", PyRepr(c.Value("hours")))
	}
	before := time.Now().Add(-time.Duration(hours * float64(time.Hour)))
	dir := filepath.Join(c.cacheDir(), "minion_jobs")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return nil, CommandErrorf("clear the job cache: %v", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil || !info.IsDir() || !info.ModTime().Before(before) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return nil, CommandErrorf("clear the job cache: %v", err)
		}
	}
	return true, nil
}
