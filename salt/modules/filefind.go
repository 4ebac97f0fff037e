package modules

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{Name: "find", Args: []Arg{{Name: "path", Required: true}}, VarArgs: true, VarKw: true, Run: fileFind, Doc: `
Find files below path, which may be a glob, that match all options, and do
something with them. Links to folders are not followed.

    name, iname     a glob of the name; iname ignores the case
    regex, iregex   a Python regular expression that matches the start of the name
    type            letters: b c d f l p s, as find(1) has them
    owner, group    names or numbers, with spaces or commas
    size            [+-]NUMBER and b, k, m, g or t; + is at least, - at most
    mtime           [+-]INTERVAL such as 1w3d6h5m1s; + or none is older, - newer
    grep            a regular expression that matches in the file
    mindepth, maxdepth   how far below path

    print           what to return: group md5 mode mtime name path size type user
    delete          removes files of these types (of type f by default, a is all)
    exec            runs a command; {} in one of its words is the path
    test=True       deletes nothing

CLI Example:

    salt '*' file.find / type=f name=\*.bak size=+10m
    salt '*' file.find /var mtime=+30d size=+10m print=path,size,mtime
    salt '*' file.find /var/log name=\*.[0-9] mtime=+30d size=+10m delete
`})
}

// foundFile is a file that find checks.
type foundFile struct {
	path string
	// stat is read when a criterion needs it, for the target of a link if that exists.
	stat *posix.Stat
}

func (f *foundFile) look() (*posix.Stat, error) {
	if f.stat != nil {
		return f.stat, nil
	}
	st, err := os.Stat(f.path)
	if err != nil {
		if st, err = os.Lstat(f.path); err != nil {
			return nil, err
		}
	}
	f.stat, _ = posix.StatOf(st)
	return f.stat, nil
}

// finder is one search.
type finder struct {
	call     *Call
	criteria []criterion
	actions  []findAction
	minDepth int64
	maxDepth int64 // -1: no limit
	test     bool
	out      []any
}

// criterion tests whether a file is wanted.
type criterion struct {
	cost  int // cheap criteria are tested first
	match func(ctx context.Context, f *foundFile) (bool, error)
}

// findAction does something with a file; a nil result is dropped.
type findAction func(ctx context.Context, f *foundFile) (any, error)

func fileFind(ctx context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	f := &finder{call: c, maxDepth: -1}
	options := c.Kwargs.Clone()
	for _, word := range c.Rest() {
		switch word {
		case "delete":
			options.Set("delete", "f")
		case "print":
			options.Set("print", "path")
		default:
			return nil, InvocationErrorf("%s is not an option of find without a value; use delete or print", PyRepr(word))
		}
	}
	if problem := f.read(options); problem != "" {
		return "error: " + problem, nil
	}
	starts, err := filepath.Glob(path)
	if err != nil {
		return nil, InvocationErrorf("path: %v", err)
	}
	for _, start := range starts {
		if err := f.walk(ctx, start); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.out, orderFound)
	if f.out == nil {
		return []any{}, nil
	}
	return f.out, nil
}

// orderFound compares results in Python's order: strings, and lists element by element.
func orderFound(a, b any) int {
	x, listA := a.([]any)
	y, listB := b.([]any)
	switch {
	case listA && listB:
		for i := range min(len(x), len(y)) {
			if order := orderFound(x[i], y[i]); order != 0 {
				return order
			}
		}
		return len(x) - len(y)
	case listA != listB:
		return map[bool]int{true: 1, false: -1}[listA]
	}
	if n, ok := a.(int64); ok {
		if m, ok := b.(int64); ok {
			return int(max(-1, min(1, n-m)))
		}
	}
	return strings.Compare(PyStr(a), PyStr(b))
}

// walk checks a path and everything below it.
func (f *finder) walk(ctx context.Context, start string) error {
	if f.minDepth < 1 {
		if err := f.consider(ctx, start); err != nil {
			return err
		}
	}
	return f.below(ctx, start, 1)
}

func (f *finder) below(ctx context.Context, dir string, depth int64) error {
	if f.maxDepth >= 0 && depth > f.maxDepth {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // not a folder, or unreadable: it has no matches
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if depth >= f.minDepth {
			if err := f.consider(ctx, filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		if e.Type()&fs.ModeType == fs.ModeDir {
			if err := f.below(ctx, filepath.Join(dir, e.Name()), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *finder) consider(ctx context.Context, path string) error {
	file := &foundFile{path: path}
	for _, is := range f.criteria {
		match, err := is.match(ctx, file)
		if os.IsNotExist(err) {
			return nil // gone meanwhile
		}
		if err != nil || !match {
			return err
		}
	}
	for _, do := range f.actions {
		result, err := do(ctx, file)
		if err != nil {
			return err
		}
		if result != nil {
			f.out = append(f.out, result)
		}
	}
	return nil
}

// read parses the options and returns the first fault, else "".
func (f *finder) read(options *value.Map) (problem string) {
	options.Range(func(k, v any) bool {
		key := PyStr(k)
		switch {
		case strings.HasPrefix(key, "_"):
			return true
		case key == "test":
			f.test = isTrue(v)
			return true
		case key == "mindepth" || key == "maxdepth":
			n, ok := Integer(v)
			if !ok {
				problem = key + " is not a number: " + PyRepr(v)
			}
			if f.maxDepth = map[bool]int64{true: n, false: f.maxDepth}[key == "maxdepth"]; key == "mindepth" {
				f.minDepth = n
			}
			return problem == ""
		}
		if !given(v) || v == false {
			problem = `missing value for "` + key + `" option`
			return false
		}
		problem = f.option(key, PyStr(v))
		return problem == ""
	})
	if len(f.actions) == 0 {
		f.actions = append(f.actions, f.printing("path"))
	}
	slices.SortStableFunc(f.criteria, func(a, b criterion) int { return a.cost - b.cost })
	return problem
}
