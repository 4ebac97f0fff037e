package modules

import (
	"path/filepath"
	"strings"
)

// backupDay and backupYear are the layout of the time in the name of a backup, around the
// microseconds: Salt's form, in local time, without the colons that Windows refuses.
const backupDay, backupYear = "Mon_Jan_02_15-04-05_", "_2006"

// backupFolder returns the folder of a minion's cache for the backups of a file.
func backupFolder(cachedir, path string) string {
	return filepath.Join(cachedir, "file_backup", strings.ReplaceAll(filepath.Dir(path), ":", "_"))
}

// isRoot reports whether an absolute path is the root of a volume.
func isRoot(path string) bool {
	path = filepath.Clean(path)
	return filepath.Dir(path) == path
}
