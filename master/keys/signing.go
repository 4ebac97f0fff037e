package keys

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/momtree/mom/internal/target"
)

// maxSigningFile bounds a signing file in bytes: a million ids.
const maxSigningFile = 32 << 20

// signingFile is an autosign_file or autoreject_file. It is read again when its time or size changed.
// A file that others may write counts as empty.
type signingFile struct {
	path    string
	trusted func(fs.FileInfo) error
	log     *slog.Logger

	mu    sync.Mutex
	stamp stamp
	lines []rule
}

// match reports whether a line of the file matches id.
func (f *signingFile) match(id string) bool {
	if f.path == "" {
		return false
	}
	lines, err := f.load()
	if err != nil {
		f.log.Warn("signing file ignored", "path", f.path, "err", err)
		return false
	}
	for i := range lines {
		if lines[i].match(id) {
			return true
		}
	}
	return false
}

func (f *signingFile) load() ([]rule, error) {
	info, err := os.Stat(f.path)
	if os.IsNotExist(err) {
		return nil, nil // an option may name a file that is made later
	}
	if err != nil {
		return nil, err
	}
	if err := f.trusted(info); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stamp == stampOf(info) {
		return f.lines, nil
	}
	if info.Size() > maxSigningFile {
		return nil, fmt.Errorf("%d bytes, at most %d are read", info.Size(), maxSigningFile)
	}
	b, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	f.stamp, f.lines = stampOf(info), parseRules(b)
	return f.lines, nil
}

// rule is one line of a signing file: a glob or a regular expression. The expression must match the
// whole id.
type rule struct {
	text   string
	simple bool        // letters, digits, - _ . alone
	re     target.Expr // nil if the line is not a regular expression, like most globs
}

// parseRules parses a signing file. It ignores outer white space, empty lines, and lines that start
// with #.
func parseRules(b []byte) []rule {
	var out []rule
	for line := range bytes.Lines(b) {
		text := strings.TrimSpace(string(line))
		if text != "" && text[0] != '#' && utf8.ValidString(text) {
			out = append(out, parseRule(text))
		}
	}
	return out
}

func parseRule(text string) rule {
	r := rule{text: text, simple: strings.IndexFunc(text, special) < 0}
	if r.simple {
		return r
	}
	r.re = target.WholeExpression(text)
	return r
}

// subject is a minion of which only the id is known.
type subject string

func (s subject) ID() string { return string(s) }
func (subject) Grains() any  { return nil }
func (subject) Pillar() any  { return nil }

func special(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
}

func (r *rule) match(id string) bool {
	if r.simple { // most lines are plain ids, and a file may hold many
		return matchDots(r.text, id)
	}
	return target.Glob(r.text, id) || r.re != nil && r.re.Match(subject(id))
}

// matchDots matches an id against a regular expression whose only operators are dots.
func matchDots(text, id string) bool {
	for i := range len(text) {
		if id == "" {
			return false
		}
		n := 1
		if text[i] == '.' {
			_, n = utf8.DecodeRuneInString(id)
		} else if text[i] != id[0] {
			return false
		}
		id = id[n:]
	}
	return id == ""
}
