//go:build !unix

package sqlite

// lockFile does nothing on systems without flock; SQLite's own locks still protect the
// file.
func lockFile(string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}
