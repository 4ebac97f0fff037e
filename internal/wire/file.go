package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile decodes a file in which a daemon keeps what it knows over a restart and
// can learn again. Without such a file the value is nil. An error names the file
// and says what to do.
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

// ReadMapFile is [ReadFile] for a file that must hold a map; nil, which can be read
// as an empty one, where there is no file.
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

// SpoiltFile says of a file that [ReadFile] has read what is wrong with its content,
// and what to do.
func SpoiltFile(path string, err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		err = named.Err // the path is told here
	}
	return fmt.Errorf("read %s: %w; if it stays so, remove it: it is only a memory, and written anew", path, err)
}
