package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile decodes a file in which a daemon keeps data over a restart that it can obtain again.
// If the file does not exist, the value is nil. An error names the file and says what to do.
func ReadFile(path string) (any, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var v any
	if err == nil {
		v, err = Decode(b)
	}
	if err != nil {
		return nil, SpoiltFile(path, err)
	}
	return v, nil
}

// ReadMapFile is [ReadFile] for a file that must contain a map. If the file does not exist it
// returns nil, which can be read like an empty map.
func ReadMapFile(path string) (*Map, error) {
	v, err := ReadFile(path)
	if v == nil && err == nil {
		return nil, nil //nolint:nilnil // no file
	}
	m, ok := v.(*Map)
	if err == nil && !ok {
		err = SpoiltFile(path, fmt.Errorf("%w: want a map, have %T", ErrType, v))
	}
	return m, err
}

// SpoiltFile returns an error about the content of a file that [ReadFile] has read, and says
// what to do.
func SpoiltFile(path string, err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		err = named.Err // the path is named in the outer error
	}
	return fmt.Errorf("read %s: %w; if it stays so, remove it: it is only a memory, and written anew", path, err)
}
