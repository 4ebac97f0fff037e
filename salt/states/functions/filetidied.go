package functions

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/text"
)

func init() {
	Register("file", Function{
		Name: "tidied", Run: fileTidied, Spec: states.Spec{VarKw: true, Args: args(onlyName, "age", int64(0), "matches", nil, "rmdirs", false,
			"size", int64(0), "exclude", nil, "full_path_match", false, "followlinks", false, "time_comparison", "atime",
			"age_size_logical_operator", "OR", "age_size_only", nil, "rmlinks", true)}, Doc: `
Removes old or large files from a folder and its subfolders.

age : 0, size : 0
    In days, and in bytes (or 10MB, 1GiB); files of at least that age or size
    are removed.
age_size_logical_operator : OR, age_size_only
    AND requires both; age or size checks only one of them.
time_comparison : atime
    The time that determines the age: atime, mtime or ctime.
matches, exclude, full_path_match
    Regular expressions that the beginning of the name, or of the path, must
    match, or must not match.
rmdirs : False, rmlinks : True, followlinks : False
    Also removes folders with their content; links; follows linked folders.
`,
	})
}

// tidied is one run of file.tidied.
type tidied struct {
	matches, exclude []*text.Regex
	age, size        float64
	only             string // age, size or ""
	both             bool
	time             string
	today            time.Time
	folders, links   bool
	whole, follow    bool
	seen             map[string]bool // visited linked folders, so that a loop ends
}

var humanSize = regexp.MustCompile(`^([0-9.]*)\s*(?:([kmgtpezy])(ib|b)?|(b))?$`)

// bytesOf parses a size such as 10MB (decimal), 10MiB or 10M (binary). As in Salt, an
// invalid one is 0.
func bytesOf(v any) float64 {
	s, ok := v.(string)
	if !ok {
		f, _ := number(v)
		return f
	}
	m := humanSize.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	base := 1024.0
	if m[3] == "b" {
		base = 1000
	}
	for range strings.Index("bkmgtpezy", m[2]+m[4]) {
		n *= base
	}
	return float64(int64(n))
}

// number returns an integer or float as float64.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// patterns compiles regular expressions that match the beginning of a name.
func patterns(v any) ([]*text.Regex, error) {
	var out []*text.Regex
	for _, p := range listArg(v) {
		re, err := text.Compile(`\A(?:`+pystr(p)+")", int64(0))
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

func (c *Call) tidied() (t *tidied, err error) {
	t = &tidied{
		size: bytesOf(c.Value("size")), both: strings.EqualFold(pystr(c.Value("age_size_logical_operator")), "and"),
		time: strings.ToLower(c.Str("time_comparison")), today: midnight(time.Now()), folders: c.Truth("rmdirs"), links: c.Truth("rmlinks"),
		whole: c.Truth("full_path_match"), follow: c.Truth("followlinks"), seen: map[string]bool{},
	}
	var ok bool
	if t.age, ok = number(c.Value("age")); !ok {
		return nil, fmt.Errorf("age of file.tidied must be a number of days, not %s", pystr(c.Value("age")))
	}
	if only := strings.ToLower(c.textOrNone("age_size_only")); only == "age" || only == "size" {
		t.only = only
	}
	matches := c.Value("matches")
	if matches == nil {
		matches = ".*"
	}
	if t.matches, err = patterns(matches); err != nil {
		return nil, err
	}
	t.exclude, err = patterns(c.Value("exclude"))
	return t, err
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func fileTidied(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case !filepath.IsAbs(name):
		return bad(name, "Specified file %s is not an absolute path", name), nil
	case !isDir(name):
		return bad(name, "%s does not exist or is not a directory.", name), nil
	}
	t, err := c.tidied()
	if err != nil {
		return nil, err
	}
	var goes []string
	if err := t.walk(ctx, name, &goes); err != nil {
		return nil, err
	}
	if len(goes) == 0 {
		return good(name, fmt.Sprintf("Nothing to remove from directory %s", name)), nil
	}
	if c.Test {
		res := would(name, fmt.Sprintf("%s is set for tidy", name), nil)
		res.Changes.Set("removed", texted(goes))
		return res, nil
	}
	res := good(name, fmt.Sprintf("Removed %d files or directories from directory %s", len(goes), name))
	for i, path := range goes {
		if err := os.RemoveAll(path); err != nil {
			res.Changes.Set("removed", texted(goes[:i]))
			res.Result, res.Comment = false, fmt.Sprintf("Could not remove '%s': %s", path, osError(err))
			return res, nil
		}
	}
	res.Changes.Set("removed", texted(goes))
	return res, nil
}

// walk collects the paths to remove, those in subfolders first.
func (t *tidied) walk(ctx context.Context, dir string, goes *[]string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ctx.Err() // as os.walk: skip what cannot be read
	}
	var files, folders []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		if !e.IsDir() && !(link && isDir(path)) {
			files = append(files, path)
			continue
		}
		folders = append(folders, path)
		if link && (!t.follow || t.loops(path)) {
			continue
		}
		if err := t.walk(ctx, path, goes); err != nil {
			return err
		}
	}
	for _, path := range append(files, folders...) {
		old, err := t.goes(path)
		if err != nil {
			return err
		}
		if old {
			*goes = append(*goes, path)
		}
	}
	return ctx.Err()
}

// loops reports whether a linked folder was visited before.
func (t *tidied) loops(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || t.seen[real] {
		return true
	}
	t.seen[real] = true
	return false
}

// goes reports whether a path is old or large enough, and matches by name.
func (t *tidied) goes(path string) (bool, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return false, nil // removed meanwhile
	}
	size := float64(0)
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		if !t.links {
			return false, nil
		}
	case st.IsDir():
		if !t.folders {
			return false, nil
		}
	default:
		size = float64(st.Size())
	}
	at := st.ModTime()
	switch t.time {
	case "mtime":
	case "ctime":
		at = changedAt(st)
	default:
		at = accessed(st)
	}
	age := t.today.Sub(midnight(at)).Abs().Hours() / 24
	old, large := age >= t.age, size >= t.size
	hit := old || large
	switch {
	case t.only == "age":
		hit = old
	case t.only == "size":
		hit = large
	case t.both:
		hit = old && large
	}
	if !hit {
		return false, nil
	}
	if !t.whole {
		path = filepath.Base(path)
	}
	is, err := anyMatch(t.matches, path)
	if err != nil || !is {
		return false, err
	}
	not, err := anyMatch(t.exclude, path)
	return !not, err
}

func anyMatch(list []*text.Regex, s string) (bool, error) {
	for _, re := range list {
		if ok, err := re.Match(s); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}
