package stream

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/target"
)

// Bounds of a filter.
const (
	maxPatterns = 32
	maxPattern  = 256
)

// Filter picks events by their tags. The zero Filter takes all.
type Filter struct {
	key      string // the same for filters of the same tags
	prefixes []string
	globs    []string
}

var errTooMany = errors.New("too many tags")

// NewFilter makes a filter of tags, of which one has to fit: a tag without wildcards is
// the beginning of those that are meant, another a glob for the whole tag, where * stands
// for any text, slashes included.
func NewFilter(tags []string) (Filter, error) {
	var f Filter
	if len(tags) > maxPatterns {
		return f, fmt.Errorf("%w: %d; there may be %d", errTooMany, len(tags), maxPatterns)
	}
	f.key = strings.Join(tags, "\x00")
	for _, t := range tags {
		switch {
		case len(t) > maxPattern:
			return f, fmt.Errorf("a tag of %d bytes; %d are the limit", len(t), maxPattern)
		case strings.ContainsAny(t, "*?["):
			f.globs = append(f.globs, t)
		default:
			f.prefixes = append(f.prefixes, t)
		}
	}
	return f, nil
}

// Match tells whether the events of a tag are meant.
func (f Filter) Match(tag string) bool {
	if len(f.prefixes) == 0 && len(f.globs) == 0 {
		return true
	}
	for _, p := range f.prefixes {
		if strings.HasPrefix(tag, p) {
			return true
		}
	}
	for _, g := range f.globs {
		if target.Glob(g, tag) {
			return true
		}
	}
	return false
}
