package functions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// errno returns the number of a system error, 0 for other errors.
func errno(err error) int {
	var no syscall.Errno
	if errors.As(err, &no) {
		return int(no)
	}
	return 0
}

// pythonError returns the text of a system error in Python's form: capitalized.
func pythonError(err error) string {
	s := err.Error()
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// osError returns the text of a system error in Python's form, with its number and paths.
func osError(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &link):
		return fmt.Sprintf("[Errno %d] %s: '%s' -> '%s'", errno(link.Err), pythonError(link.Err), link.Old, link.New)
	case errors.As(err, &path):
		return fmt.Sprintf("[Errno %d] %s: '%s'", errno(path.Err), pythonError(path.Err), path.Path)
	}
	return err.Error()
}

// strerror returns a system error without its number and paths, as Salt's file.touch does.
func strerror(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return errors.New(pythonError(path.Err))
	}
	return err
}

// raised converts a system error of a state function to Python's text. Other errors keep
// their text.
func raised(err error) error {
	switch err.(type) { //nolint:errorlint // a wrapped error keeps its text
	case *fs.PathError, *os.LinkError:
		return errors.New(osError(err))
	}
	return err
}
