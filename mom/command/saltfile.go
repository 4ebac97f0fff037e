package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// maxSaltfile bounds a Saltfile, in bytes.
const maxSaltfile = 1 << 20

// saltfileName is the name of the file with options in the working directory and in ~/.salt.
const saltfileName = "Saltfile"

// saltfileWords returns the options that the Saltfile has for a command, as words to put before the
// command line, which overrides them. The file is that of --saltfile, else of SALT_SALTFILE, else
// Saltfile in the working directory, else in ~/.salt. The one in the working directory is used only if
// no user except this one and root can write it: commands run anywhere.
func (o Salt) saltfileWords(args []string) ([]string, error) {
	path := saltfileOf(args)
	if path == "" {
		return nil, nil
	}
	b, err := readSaltfile(path)
	if err != nil {
		return nil, fmt.Errorf("saltfile: %w", err)
	}
	v, err := pyfmt.ReadYAML(b)
	if err != nil {
		return nil, fmt.Errorf("saltfile %s: %w", path, err)
	}
	all, ok := v.(*value.Map)
	if !ok {
		return nil, fmt.Errorf("saltfile %s: not a mapping of commands to options", path)
	}
	mine, ok := all.Get(o.Name)
	if !ok || mine == nil {
		return nil, nil
	}
	options, ok := mine.(*value.Map)
	if !ok {
		return nil, fmt.Errorf("saltfile %s: %s is not a mapping of options", path, o.Name)
	}
	var words []string
	known := o.options()
	for _, k := range options.Keys() {
		key := fmt.Sprint(k)
		name := "--" + strings.ReplaceAll(key, "_", "-")
		if !known.Has(name) {
			name = "--" + key
		}
		if !known.Has(name) {
			return nil, fmt.Errorf("saltfile %s: %s has no option %s", path, o.Name, key)
		}
		v, _ := options.Get(key)
		switch v := v.(type) {
		case bool:
			if v {
				words = append(words, name)
			}
		case nil:
		default:
			words = append(words, name+"="+fmt.Sprint(v))
		}
	}
	return words, nil
}

// saltfileOf returns the Saltfile to use, or "".
func saltfileOf(args []string) string {
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--saltfile="); ok {
			return v
		}
		if a == "--saltfile" && i+1 < len(args) {
			return args[i+1]
		}
	}
	if v := os.Getenv("SALT_SALTFILE"); v != "" {
		return v
	}
	if info, err := os.Stat(saltfileName); err == nil && onlyOurs(info) {
		return saltfileName
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(home, ".salt", saltfileName)
	// As in Salt, a directory that this user cannot read has no Saltfile: setpriv and runuser keep HOME.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// onlyOurs reports whether only this user and root can have written a file.
func onlyOurs(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && !posix.OthersMayWrite(info) && posix.OwnedBy(info, 0, os.Geteuid())
}

func readSaltfile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSaltfile {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", path, info.Size(), maxSaltfile)
	}
	return os.ReadFile(path)
}
