package schedule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// savedName is the file in which minions keep what is changed of their schedule.
const savedName = "_schedule.conf"

// SavedPath is that file, for a configuration folder and the option default_include ("" is
// that of Salt's minion).
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

// ReadSaved reads the schedule in such a file. A file that is not there has none.
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
	return nil, fmt.Errorf("read the saved schedule %s: schedule is no mapping", path)
}

// WriteSaved puts a schedule into such a file, in the form of Salt's. The file is there
// whole or as it was before.
func WriteSaved(path string, jobs *value.Map) error {
	if err := durable.Folder(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("save the schedule: %w", err)
	}
	text := pyfmt.YAML(value.NewMap("schedule", jobs), pyfmt.YAMLForm{Leaves: true})
	if err := crypt.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("save the schedule: %w", err)
	}
	return nil
}

// CheckWhen tells why a text is no date of the field when.
func CheckWhen(v any, now time.Time) error {
	r := &reader{now: now}
	_, err := r.parseDate(v)
	return err
}

// ISO is how Salt writes times unless it is told otherwise, in the form of strptime.
const ISO = isoForm

// Text is a time in that form.
func Text(t time.Time) string { return t.Format("2006-01-02T15:04:05") }
