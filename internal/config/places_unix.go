//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
)

// DefaultDir returns the directory of the configuration: Salt's own.
func DefaultDir() string { return "/etc/salt" }

// SystemDefault returns a default of this system for the one of Unix.
func SystemDefault(def string) string { return def }

// placeUnder places a path below a root; a path already below it stays.
func placeUnder(root, path string) string {
	if strings.HasPrefix(path, root+"/") {
		return path
	}
	return filepath.Join(root, path)
}

// currentUser returns the name of the user who runs this process.
func currentUser() string {
	if u := os.Getenv("USER"); os.Getuid() != 0 && u != "" {
		return u
	}
	return userByID(os.Getuid())
}
