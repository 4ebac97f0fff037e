package fileclient

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

const scheme = "salt://"

// PathError is a path or environment that is refused: it is empty, absolute, or
// would lead out of where it belongs. It is [fs.ErrInvalid].
type PathError struct{ What, Name string }

func (e *PathError) Error() string {
	return fmt.Sprintf("%s %q is refused: it has to be a relative path that stays inside its environment", e.What, e.Name)
}

func (e *PathError) Unwrap() error { return fs.ErrInvalid }

// IsURL tells whether a source is a salt:// address.
func IsURL(source string) bool { return strings.HasPrefix(source, scheme) }

// URL is the salt:// address of a path.
func URL(path string) string { return scheme + path }

// Split parts a salt:// address into the path and the environment that it names
// by ?saltenv=, "" when it names none. Other text is given back as it is.
func Split(url string) (path, saltenv string) {
	rest, ok := strings.CutPrefix(url, scheme)
	if !ok {
		return url, ""
	}
	if before, _, old := strings.Cut(rest, "?env="); old {
		return before, ""
	}
	path, saltenv, _ = strings.Cut(rest, "?saltenv=")
	return path, saltenv
}

// locate reads a salt:// address: the path as the source is asked for it, and
// the environment, which is saltenv unless the address names one.
func locate(url, saltenv string) (path, env string, err error) {
	path, env = Split(url)
	if env == "" {
		env = saltenv
	}
	if err := check("environment", env); err != nil {
		return "", "", err
	}
	return path, env, check("path", bare(path))
}

// bare is a path without the mark that says that it holds no query.
func bare(path string) string { return strings.TrimLeft(path, "|") }

// check refuses what would lead out of a folder.
func check(what, name string) error {
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return &PathError{what, name}
	}
	for part := range strings.SplitSeq(name, "/") {
		//mutant:modules-files-stay-inside
		if part == ".." {
			return &PathError{what, name}
		}
	}
	return nil
}

// inside is the place of a path below a folder. It is refused when it is not
// really below.
func inside(dir, path string) (string, error) {
	if err := check("path", path); err != nil {
		return "", err
	}
	place := filepath.Join(dir, filepath.FromSlash(path))
	if !strings.HasPrefix(place, strings.TrimSuffix(dir, "/")+"/") {
		return "", &PathError{"path", path}
	}
	return place, nil
}
