//go:build !unix

package sqlite

// lockFile does nothing where there is no flock; SQLite's own locks still keep
// the file sound.
func lockFile(string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}
