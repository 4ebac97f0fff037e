//go:build !unix

package rawfile

import "os"

// lock does nothing on systems without flock.
func lock(*os.File) (bool, error) { return true, nil }
