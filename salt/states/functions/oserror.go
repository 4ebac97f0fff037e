package functions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// errno is the number of a system error, 0 for another error.
func errno(err error) int {
	var no syscall.Errno
	if errors.As(err, &no) {
		return int(no)
	}
	return 0
}

// pythonError is the text of a system error as Python has it: with a capital.
func pythonError(err error) string {
	s := err.Error()
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// osError is the text of a system error as Python writes it, with its number and paths.
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

// strerror is a system error without its number and paths: Salt's file.touch gives no more.
func strerror(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return errors.New(pythonError(path.Err))
	}
	return err
}

// raised is the error of a state function with the text of Python when it is a system
// error. One that has been given a text keeps it.
func raised(err error) error {
	switch err.(type) { //nolint:errorlint // a wrapped error has a text
	case *fs.PathError, *os.LinkError:
		return errors.New(osError(err))
	}
	return err
}
