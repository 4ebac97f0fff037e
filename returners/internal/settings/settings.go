package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Reader reads options and collects their faults. It is not safe for concurrent use.
type Reader struct {
	values map[string]any
	prefix string
	faults []error
}

// New returns a Reader of a configuration. With a prefix, "<prefix>.mysql.host" takes
// precedence over "mysql.host".
func New(values map[string]any, prefix string) *Reader {
	return &Reader{values: values, prefix: prefix}
}

// Err returns all faults found so far, joined.
func (r *Reader) Err() error { return errors.Join(r.faults...) }

// Fault adds a fault.
func (r *Reader) Fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

// Get returns an option and the name under which it was found. An unset option is nil. None,
// the text that Salt's manual shows for "not set", counts as unset.
func (r *Reader) Get(key string) (name string, v any) {
	names := []string{key}
	if r.prefix != "" {
		names = []string{r.prefix + "." + key, key}
	}
	for _, name := range names {
		if v, ok := Lookup(r.values, name); ok && v != nil && v != "None" {
			return name, v
		}
	}
	return key, nil
}

// Lookup tries the flat name, then a map under each leading part of it.
func Lookup(values map[string]any, name string) (any, bool) {
	if v, ok := values[name]; ok {
		return v, true
	}
	for i := range name {
		if name[i] != '.' {
			continue
		}
		if sub, ok := values[name[:i]].(map[string]any); ok {
			if v, ok := Lookup(sub, name[i+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// Text reads a text. A number is converted, as YAML reads a password of digits as one.
func (r *Reader) Text(key, def string) string {
	name, v := r.Get(key)
	switch v := v.(type) {
	case nil:
		return def
	case string:
		return v
	case int, int64, uint64, float64:
		return fmt.Sprint(v)
	}
	r.Fault("%s must be a text, is %T", name, v)
	return def
}

// Texts reads a list of texts. A single text is split at commas.
func (r *Reader) Texts(key string) (out []string) {
	name, v := r.Get(key)
	list, ok := v.([]any)
	if v != nil && !ok {
		for part := range strings.SplitSeq(r.Text(key, ""), ",") {
			list = append(list, part)
		}
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			r.Fault("%s must be a list of texts, holds %T", name, e)
			continue
		}
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Number reads a whole number, which may be a text.
func (r *Reader) Number(key string, def int) int {
	name, v := r.Get(key)
	if v == nil {
		return def
	}
	n, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(v)))
	if err != nil {
		r.Fault("%s must be a number, is %v", name, v)
		return def
	}
	return n
}

// Flag reads a boolean; the default is false.
func (r *Reader) Flag(key string) bool {
	name, v := r.Get(key)
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	}
	r.Fault("%s must be True or False, is %v", name, v)
	return false
}

// defaultKeep is Salt's default of keep_jobs_seconds.
const defaultKeep = 24 * time.Hour

// Keep reads how long jobs are kept: keep_jobs_seconds, or keep_jobs (in hours) where only
// that is set. 0 means for ever.
func (r *Reader) Keep() time.Duration {
	for _, o := range []struct {
		name string
		unit time.Duration
	}{{"keep_jobs_seconds", time.Second}, {"keep_jobs", time.Hour}} {
		v := r.values[o.name]
		if v == nil {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(v)), 64)
		if err != nil || !(n >= 0 && n < 1e9) {
			r.Fault("%s must be a number of 0 or more, is %v", o.name, v)
			return defaultKeep
		}
		return time.Duration(n * float64(o.unit))
	}
	return defaultKeep
}
