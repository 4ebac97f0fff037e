//go:build unix

package modules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

// systemPath is searched after PATH, since a service may run without PATH.
var systemPath = []string{"/sbin", "/bin", "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"}

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
	return err == nil && st.Mode().IsRegular() && posix.Access(path, posix.Runnable)
}
