package schedule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// savedName is the file in which minions save changes of their schedule.
const savedName = "_schedule.conf"

// SavedPath returns the path of that file, for a configuration directory and the option
// default_include ("" means the default of Salt's minion).
func SavedPath(dir, include string) string {
	if include == "" {
		include = "minion.d/*.conf"
	}
	folder := filepath.Dir(include)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	return filepath.Join(folder, savedName)
}

// ReadSaved reads the schedule from such a file. A missing file has no jobs.
func ReadSaved(path string) (*value.Map, error) {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return value.NewMap(), nil
	case err != nil:
		return nil, fmt.Errorf("read the saved schedule: %w", err)
	}
	v, err := pyfmt.ReadYAML(b)
	if err != nil {
		return nil, fmt.Errorf("read the saved schedule %s: %w", path, err)
	}
	all, _ := v.(*value.Map)
	if all == nil {
		return value.NewMap(), nil
	}
	switch s, _ := all.Get("schedule"); s := s.(type) {
	case nil:
		return value.NewMap(), nil
	case *value.Map:
		return s, nil
	}
	return nil, fmt.Errorf("read the saved schedule %s: schedule is not a mapping", path)
}

// WriteSaved writes a schedule to such a file, in Salt's form. On an error the old file stays.
func WriteSaved(path string, jobs *value.Map) error {
	if err := durable.Folder(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("save the schedule: %w", err)
	}
	text := pyfmt.YAML(value.NewMap("schedule", jobs), pyfmt.YAMLForm{Leaves: true})
	if err := durable.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("save the schedule: %w", err)
	}
	return nil
}

// CheckWhen returns an error if a value is not valid for the field when.
func CheckWhen(v any, now time.Time) error {
	r := &reader{now: now}
	_, err := r.parseDate(v)
	return err
}

// ISO is Salt's default format of times, in the notation of strptime.
const ISO = isoForm

// Text formats a time in that format.
func Text(t time.Time) string { return t.Format("2006-01-02T15:04:05") }
