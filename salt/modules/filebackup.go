package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

func init() {
	path := Arg{Name: "path", Required: true}
	id := Arg{Name: "backup_id", Required: true}
	Register("file",
		Function{Name: "list_backups", Args: []Arg{path, {Name: "limit"}}, Run: fileBackups, Doc: `
List the backups of the file path made by states (backup: minion), newest first;
limit is the most to list.

CLI Example:

    salt '*' file.list_backups /foo/bar/baz.txt
`},
		Function{Name: "restore_backup", Args: []Arg{path, id}, Run: fileRestore, Doc: `
Restore a backup of the file path: backup_id is its number in file.list_backups.
The current file is backed up first.

CLI Example:

    salt '*' file.restore_backup /foo/bar/baz.txt 0
`},
		Function{Name: "delete_backup", Args: []Arg{path, id}, Run: fileDeleteBackup, Doc: `
Delete a backup of the file path: backup_id is its number in file.list_backups.

CLI Example:

    salt '*' file.delete_backup /foo/bar/baz.txt 0
`},
	)
	alias("file", "list_backups", "list_backup")
	alias("file", "delete_backup", "remove_backup")
}

// keptFile is one backup of a file.
type keptFile struct {
	at       time.Time
	size     int64
	location string
}

func (c *Call) cacheDir() string { return PyStr(c.Env.Option("cachedir")) }

// keptFiles returns the backups of a file, newest first.
func (c *Call) keptFiles() ([]keptFile, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	dir := backupFolder(c.cacheDir(), path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, osFault(err)
	}
	var out []keptFile
	for _, e := range entries {
		stamp, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+"_")
		st, err := e.Info()
		if !ok || err != nil || !st.Mode().IsRegular() {
			continue
		}
		at, ok := readStamp(stamp)
		if ok {
			out = append(out, keptFile{at, st.Size(), filepath.Join(dir, e.Name())})
		}
	}
	slices.SortFunc(out, func(a, b keptFile) int { return b.at.Compare(a.at) })
	return out, nil
}

// readStamp parses the time in the name of a backup.
func readStamp(s string) (time.Time, bool) {
	parts := strings.Split(s, "_")
	if len(parts) != 6 {
		return time.Time{}, false
	}
	micros, err := strconv.ParseUint(parts[4], 10, 32)
	if err != nil || len(parts[4]) > 6 {
		return time.Time{}, false
	}
	at, err := time.Parse(backupDay+backupYear[1:], strings.Join(append(parts[:4:4], parts[5]), "_"))
	return at.Add(time.Duration(micros) * time.Microsecond), err == nil
}

func fileBackups(_ context.Context, c *Call) (any, error) {
	all, err := c.keptFiles()
	if err != nil {
		return nil, err
	}
	if c.Value("limit") != nil {
		n, err := c.Int("limit")
		if err != nil {
			return nil, err
		}
		all = all[:max(0, min(int(n), len(all)))]
	}
	m := value.NewMap()
	for i, k := range all {
		m.Set(int64(i), value.NewMap("Backup Time", k.at.Format("Mon Jan 02 2006 15:04:05.000000"), "Size", k.size, "Location", k.location))
	}
	return m, nil
}

// chosen returns the backup that a call selects, or a message why it does not exist.
func (c *Call) chosen() (keptFile, string, error) {
	id := c.Str("backup_id")
	n, err := strconv.Atoi(id)
	if err != nil || strconv.Itoa(n) != id {
		return keptFile{}, fmt.Sprintf("Invalid backup_id '%s'", id), nil //nolint:nilerr // Salt's result
	}
	all, err := c.keptFiles()
	if err != nil {
		return keptFile{}, "", err
	}
	if n < 0 || n >= len(all) {
		return keptFile{}, fmt.Sprintf("backup_id '%s' does not exist for %s", id, c.path("path")), nil
	}
	return all[n], "", nil
}

func resultOf(result bool, format string, a ...any) *value.Map {
	return value.NewMap("result", result, "comment", fmt.Sprintf(format, a...))
}

func fileRestore(_ context.Context, c *Call) (any, error) {
	old, problem, err := c.chosen()
	if err != nil || problem != "" {
		return resultOf(false, "%s", problem), err
	}
	path := c.path("path")
	st, err := os.Stat(path)
	there := err == nil
	if there {
		if err := KeepBackup(c.cacheDir(), path, time.Now()); err != nil {
			return resultOf(false, "Unable to keep %s: %s", path, pythonOSError(err)), nil
		}
	}
	in, kept, err := openRegular(old.location, os.O_RDONLY)
	if err == nil {
		defer in.Close()
		if !there {
			st = kept
		}
		err = newFile(realPath(path), in, st)
	}
	if err != nil {
		return resultOf(false, "Unable to restore %s to %s: %s", old.location, path, pythonOSError(err)), nil
	}
	return resultOf(true, "Successfully restored %s to %s", old.location, path), nil
}

func fileDeleteBackup(_ context.Context, c *Call) (any, error) {
	old, problem, err := c.chosen()
	if err != nil || problem != "" {
		return resultOf(false, "%s", problem), err
	}
	if err := os.Remove(old.location); err != nil {
		return resultOf(false, "Unable to remove %s: %s", old.location, pythonOSError(err)), nil
	}
	return resultOf(true, "Successfully removed %s", old.location), nil
}
