package grains

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the most bytes read of one file. The files of /proc and /sys read here are far
// smaller.
const maxFile = 4 << 20

// tree is the root of a host's files.
type tree string

// text returns the content of a file, "" if it cannot be read.
func (t tree) text(name string) string {
	f, err := os.Open(t.path(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return ""
	}
	return string(b)
}

// line returns the content of a file without surrounding white space.
func (t tree) line(name string) string { return strings.TrimSpace(t.text(name)) }

func (t tree) exists(name string) bool {
	_, err := os.Lstat(t.path(name))
	return err == nil
}

// link returns the target of a symbolic link, "" if the file is not a link.
func (t tree) link(name string) string {
	target, err := os.Readlink(t.path(name))
	if err != nil {
		return ""
	}
	return target
}

// list returns the names in a folder, sorted.
func (t tree) list(name string) []string {
	entries, err := os.ReadDir(t.path(name))
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// which reports whether the usual folders have a program.
func (t tree) which(name string) bool {
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"} {
		if t.exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}
