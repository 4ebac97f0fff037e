//go:build unix

package modules

import "path/filepath"

// backupDay and backupYear are the layout of the time in the name of a backup, around the
// microseconds: Salt's form, in local time.
const backupDay, backupYear = "Mon_Jan_02_15:04:05_", "_2006"

// backupFolder returns the folder of a minion's cache for the backups of a file.
func backupFolder(cachedir, path string) string {
	return filepath.Join(cachedir, "file_backup", filepath.Clean("/"+filepath.Dir(path)))
}

// isRoot reports whether an absolute path is the root of a file system.
func isRoot(path string) bool { return filepath.Clean(path) == "/" }
