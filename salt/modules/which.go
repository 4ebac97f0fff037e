package modules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// systemPath is searched after PATH, since a service may run without PATH.
var systemPath = []string{"/sbin", "/bin", "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"}

// Which returns the full path of a program as the functions here find it, or "".
func Which(name string) string { return which(name) }

// which returns the full path of a program, or "". A name that is itself a path to a
// program is returned unchanged.
func which(name string) string { return whichIn(name, os.Getenv("PATH")) }

func whichIn(name, path string) string {
	if name == "" {
		return ""
	}
	if executable(name) && strings.Contains(name, "/") {
		return name
	}
	if strings.Contains(name, "/") {
		return ""
	}
	dirs := filepath.SplitList(path)
	for _, d := range systemPath {
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range dirs {
		if d == "" {
			continue
		}
		if p := filepath.Join(d, name); executable(p) {
			return p
		}
	}
	return ""
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && unix.Access(path, unix.X_OK) == nil
}
