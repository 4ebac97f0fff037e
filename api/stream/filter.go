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

// Filter selects events by their tags. The zero Filter selects all.
type Filter struct {
	key      string // equal for filters with the same tags
	prefixes []string
	globs    []string
}

var errTooMany = errors.New("too many tags")

// NewFilter returns a filter that matches any of the given tags. A tag without wildcards is the
// beginning of a tag. Others are globs for the whole tag, in which * stands for any text, including
// slashes.
func NewFilter(tags []string) (Filter, error) {
	var f Filter
	if len(tags) > maxPatterns {
		return f, fmt.Errorf("%w: %d; at most %d are allowed", errTooMany, len(tags), maxPatterns)
	}
	f.key = strings.Join(tags, "\x00")
	for _, t := range tags {
		switch {
		case len(t) > maxPattern:
			return f, fmt.Errorf("a tag of %d bytes; at most %d are allowed", len(t), maxPattern)
		case strings.ContainsAny(t, "*?["):
			f.globs = append(f.globs, t)
		default:
			f.prefixes = append(f.prefixes, t)
		}
	}
	return f, nil
}

// Match reports whether the filter selects events with a tag.
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
