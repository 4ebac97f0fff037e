package modules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

func init() {
	args := []Arg{{Name: "suffix", Default: ""}, {Name: "prefix", Default: "tmp"}, {Name: "parent"}}
	Register("temp",
		Function{Name: "dir", Args: args, Run: tempDir, Doc: `
Create a temporary folder that only this user may enter, and return its path. It
is not removed automatically. Its name begins with prefix and ends with suffix;
parent is its parent folder.

CLI Example:

    salt '*' temp.dir prefix='mytemp-' parent='/var/run/'
`},
		Function{Name: "file", Args: args, Run: tempFile, Doc: `
Create an empty temporary file that only this user may read, and return its
path. It is not removed automatically. Its name begins with prefix and ends with
suffix; parent is its folder.

CLI Example:

    salt '*' temp.file prefix='mytemp-' parent='/var/run/'
`},
	)
}

// tempPattern returns the folder and the pattern of a temporary name. It rejects a prefix
// or suffix with / or *.
func tempPattern(c *Call) (dir, pattern string, err error) {
	for _, name := range []string{"suffix", "prefix"} {
		if strings.ContainsAny(c.Str(name), "/*\x00") {
			return "", "", InvocationErrorf("%s %s is invalid: it must not contain / or *", name, PyRepr(c.Str(name)))
		}
	}
	dir = os.TempDir()
	if c.Value("parent") != nil {
		if dir, err = filepath.Abs(c.Str("parent")); err != nil {
			return "", "", CommandErrorf("folder %s: %v", c.Str("parent"), err)
		}
	}
	return dir, c.Str("prefix") + "*" + c.Str("suffix"), nil
}

func tempDir(_ context.Context, c *Call) (any, error) {
	dir, pattern, err := tempPattern(c)
	if err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(dir, pattern)
	if err != nil {
		return nil, CommandErrorf("make a temporary folder: %v", err)
	}
	return path, nil
}

func tempFile(_ context.Context, c *Call) (any, error) {
	dir, pattern, err := tempPattern(c)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, CommandErrorf("make a temporary file: %v", err)
	}
	if err := f.Close(); err != nil {
		return nil, CommandErrorf("make a temporary file: %v", err)
	}
	return f.Name(), nil
}
