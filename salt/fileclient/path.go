package fileclient

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const scheme = "salt://"

// PathError is an invalid path or environment: it is empty or absolute, or points outside
// its folder. It is [fs.ErrInvalid].
type PathError struct{ What, Name string }

func (e *PathError) Error() string {
	return fmt.Sprintf("%s %q is refused: it has to be a relative path that stays inside its environment", e.What, e.Name)
}

func (e *PathError) Unwrap() error { return fs.ErrInvalid }

// IsURL reports whether a source is a salt:// address.
func IsURL(source string) bool { return strings.HasPrefix(source, scheme) }

// URL returns the salt:// address of a path.
func URL(path string) string { return scheme + path }

// Split splits a salt:// address into the path and the environment in ?saltenv=, "" if it
// has none. It returns other text unchanged.
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

// locate parses a salt:// address. It returns the path to request from the source, and the
// environment: saltenv unless the address names one.
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

// bare returns a path without the prefix | that marks it as having no query.
func bare(path string) string { return strings.TrimLeft(path, "|") }

// check returns an error for a name that points outside a folder.
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

// inside returns the path below a folder. It returns an error if that lies outside.
func inside(dir, path string) (string, error) {
	if err := check("path", path); err != nil {
		return "", err
	}
	place := filepath.Join(dir, filepath.FromSlash(path))
	if !hasFolder(place, dir) {
		return "", &PathError{"path", path}
	}
	return place, nil
}

// hasFolder reports whether a path lies below a folder.
func hasFolder(path, dir string) bool {
	const separator = string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// endsInSeparator reports whether a path names a folder by its last character.
func endsInSeparator(path string) bool { return path != "" && os.IsPathSeparator(path[len(path)-1]) }
