//go:build !linux

package files

import (
	"fmt"
	"io/fs"
)

// StatOf returns the known part of Python's os.stat of a file, and a key for its content.
func StatOf(info fs.FileInfo) (stat []int64, key string) {
	const regular = 0o100000
	at := info.ModTime()
	stat = []int64{regular | int64(info.Mode().Perm()), 0, 0, 1, 0, 0, info.Size(), at.Unix(), at.Unix(), at.Unix()}
	return stat, fmt.Sprintf("%s/%d/%d", info.Name(), info.Size(), at.UnixNano())
}
