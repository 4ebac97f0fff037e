//go:build !linux

package files

import (
	"fmt"
	"io/fs"
)

// StatOf gives what os.stat of Python gives of a file, as far as it is known here, and the
// key by which its content is known.
func StatOf(info fs.FileInfo) (stat []int64, key string) {
	const regular = 0o100000
	at := info.ModTime()
	stat = []int64{regular | int64(info.Mode().Perm()), 0, 0, 1, 0, 0, info.Size(), at.Unix(), at.Unix(), at.Unix()}
	return stat, fmt.Sprintf("%s/%d/%d", info.Name(), info.Size(), at.UnixNano())
}
