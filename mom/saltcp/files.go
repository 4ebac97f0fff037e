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

// exitNoFile is Salt's code for a file that is not there.
const exitNoFile = 42

// maxText is how much goes in one job.
const maxText = 1 << 20

// maxTiers bounds folders in folders, such as links to themselves make.
const maxTiers = 64

// file is one that is to be copied, or an empty folder.
type file struct {
	path   string // absolute, here
	to     string // at the minions
	mode   int64  // as Salt sends it: permissions and the bits beside them
	folder bool
}

// gather lists what is in the sources, and where it goes.
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

// join puts names behind a folder of a minion, as it is written.
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
		return nil, command.Exit(command.ExitFailure, fmt.Errorf("%s is neither a file nor a folder", path))
	case tier == maxTiers:
		return nil, command.Exit(command.ExitFailure, fmt.Errorf("%s: more than %d folders are in each other; a link may lead to a folder above it", path, maxTiers))
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

// modeOf is a mode as the system counts it.
func modeOf(info fs.FileInfo) int64 {
	mode := int64(info.Mode().Perm())
	for flag, bit := range map[fs.FileMode]int64{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if info.Mode()&flag != 0 {
			mode |= bit
		}
	}
	return mode
}

// texts reads the sources as texts for one job. why says what keeps them from being sent
// so; "": nothing.
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
			return nil, "", command.Exit(command.ExitFailure, fmt.Errorf("%s is neither a file nor a folder", path))
		}
		if size += info.Size(); size > maxText {
			return nil, "more than 1 MiB", nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, "", command.Exit(command.ExitFailure, err)
		}
		if !utf8.Valid(b) {
			return nil, path + " is no text in UTF-8", nil
		}
		contents[path] = string(b)
	}
	return contents, "", nil
}
