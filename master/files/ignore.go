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

// patience limits the time to match one expression: a backtracking expression can take forever even
// on a short path.
const patience = time.Second

// IgnoreRules are the file_ignore options of a configuration.
type IgnoreRules struct {
	globs   []string
	regexes []func(path string) bool
}

// NewIgnoreRules parses the options of a master. The error names each invalid expression.
func NewIgnoreRules(c *config.Master) (*IgnoreRules, error) {
	r := &IgnoreRules{globs: c.FileIgnoreGlob}
	var faults []error
	for _, text := range c.FileIgnoreRegex {
		if re, err := regexp.Compile(text); err == nil {
			r.regexes = append(r.regexes, re.MatchString)
			continue
		}
		re, err := regexp2.Compile(text, regexp2.None) // supports Python syntax that regexp lacks, such as (?!...)
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

// Match reports whether a path is ignored. As in Salt, lists match the path in the environment, and
// lookups match the full path on the master. A path is ignored if an expression takes too long:
// hidden files must stay hidden.
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
