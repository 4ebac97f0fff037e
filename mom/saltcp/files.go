package saltcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/mom/command"
)

// exitNoFile is Salt's exit code for a missing file.
const exitNoFile = 42

// maxText bounds the texts of one job.
const maxText = 1 << 20

// maxTiers bounds nested directories, such as links can produce.
const maxTiers = 64

// file is a file to copy, or an empty directory.
type file struct {
	path   string // absolute, here
	to     string // path at the minions
	mode   int64  // permissions and the special bits, as Salt sends them
	folder bool
}

// gather lists the files in the sources, with their destinations.
func gather(l line) ([]file, error) {
	var all []file
	several := false
	for _, source := range l.sources {
		found, err := walk(source, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.path != source {
				rest, err := filepath.Rel(source, f.path)
				if err != nil {
					return nil, fmt.Errorf("where %s is: %w", f.path, err)
				}
				f.to = join(l.dest, filepath.Base(source), filepath.ToSlash(rest))
			}
			several = several || f.folder
			all = append(all, f)
		}
	}
	into := several || len(all) > 1 || strings.HasSuffix(l.dest, "/") || strings.HasSuffix(l.dest, `\`)
	for i, f := range all {
		if f.to != "" {
			continue
		}
		if all[i].to = l.dest; into {
			all[i].to = join(l.dest, filepath.Base(f.path))
		}
	}
	return all, nil
}

// join appends names to a directory of a minion as written.
func join(dir string, names ...string) string {
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return dir + strings.Join(names, "/")
}

func walk(path string, tier int) ([]file, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, command.Exit(exitNoFile, fmt.Errorf("%s does not exist", path))
	case err != nil:
		return nil, command.Exit(command.ExitFailure, err)
	case info.Mode().IsRegular():
		return []file{{path: path, mode: modeOf(info)}}, nil
	case !info.IsDir():
		return nil, command.Exit(command.ExitFailure, fmt.Errorf("%s is neither a file nor a directory", path))
	case tier == maxTiers:
		return nil, command.Exit(command.ExitFailure, fmt.Errorf("%s: more than %d nested directories; a link may lead to a parent directory", path, maxTiers))
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, command.Exit(command.ExitFailure, err)
	}
	if len(entries) == 0 {
		return []file{{path: path, folder: true}}, nil
	}
	var all []file
	for _, e := range entries {
		found, err := walk(filepath.Join(path, e.Name()), tier+1)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// modeOf returns a mode as the system counts it.
func modeOf(info fs.FileInfo) int64 {
	mode := int64(info.Mode().Perm())
	for flag, bit := range map[fs.FileMode]int64{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if info.Mode()&flag != 0 {
			mode |= bit
		}
	}
	return mode
}

// texts reads the sources as texts for one job. why is the reason why they cannot be sent so, or
// "".
func texts(sources []string) (contents map[string]any, why string, err error) {
	contents = map[string]any{}
	size := int64(0)
	for _, path := range sources {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, "", command.Exit(exitNoFile, fmt.Errorf("%s does not exist", path))
		case err != nil:
			return nil, "", command.Exit(command.ExitFailure, err)
		case info.IsDir():
			return nil, "", command.Exit(command.ExitFailure, fmt.Errorf("%s is a directory, only files are supported in non-chunked mode. Use \"--chunked\" command line argument.", path))
		case !info.Mode().IsRegular():
			return nil, "", command.Exit(command.ExitFailure, fmt.Errorf("%s is neither a file nor a directory", path))
		}
		if size += info.Size(); size > maxText {
			return nil, "more than 1 MiB", nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, "", command.Exit(command.ExitFailure, err)
		}
		if !utf8.Valid(b) {
			return nil, path + " is not UTF-8 text", nil
		}
		contents[path] = string(b)
	}
	return contents, "", nil
}
