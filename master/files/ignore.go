package files

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
)

// patience bounds the time of one expression over one path: both are short, but an
// expression of Python's kind can take forever.
const patience = time.Second

// IgnoreRules are those of one configuration.
type IgnoreRules struct {
	globs   []string
	regexes []func(path string) bool
}

// NewIgnoreRules reads the options of a master. The error names each expression that cannot be read.
func NewIgnoreRules(c *config.Master) (*IgnoreRules, error) {
	r := &IgnoreRules{globs: c.FileIgnoreGlob}
	var faults []error
	for _, text := range c.FileIgnoreRegex {
		if re, err := regexp.Compile(text); err == nil {
			r.regexes = append(r.regexes, re.MatchString)
			continue
		}
		re, err := regexp2.Compile(text, regexp2.None) // one with what Go's do not have, such as (?!...)
		if err != nil {
			faults = append(faults, fmt.Errorf("file_ignore_regex: %q: %w", text, err))
			continue
		}
		re.MatchTimeout = patience
		r.regexes = append(r.regexes, func(path string) bool {
			found, err := re.MatchString(path)
			return found || err != nil
		})
	}
	return r, errors.Join(faults...)
}

// Match tells whether a path is ignored. Lists ask for the path in the environment, finding
// a file for its full path on the master, as Salt does. An expression that takes too long
// ignores the path: what an operator wanted hidden stays hidden.
func (r *IgnoreRules) Match(path string) bool {
	if r == nil {
		return false
	}
	for _, match := range r.regexes {
		if match(path) {
			return true
		}
	}
	for _, g := range r.globs {
		if target.Glob(g, path) {
			return true
		}
	}
	return false
}
