package modules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/text"
)

// maxEdited is the largest file that is read whole, in bytes.
const maxEdited = 16 << 20

// filePath returns an argument that is the path of a file to read or write.
func (c *Call) filePath(name string) (string, error) {
	p := c.path(name)
	if p == "" || strings.ContainsRune(p, 0) {
		return "", argErrorf("%s is not a path: %s", name, PyRepr(c.Value(name)))
	}
	return p, nil
}

// openRegular opens a regular file. It rejects pipes, which would block, and devices.
func openRegular(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|posix.NonBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, st, nil
}

var errNotRegular = errors.New("is not a regular file")

// readWhole reads a file to be edited or searched in memory.
func readWhole(path string) (string, error) {
	f, st, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// A file of /proc has size 0 but may have content.
	data, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	//mutant:edited-file-size
	if err == nil && len(data) > maxEdited {
		err = fmt.Errorf("%s has %d bytes, more than %d", path, max(st.Size(), int64(len(data))), maxEdited)
	}
	return string(data), err
}

// writeOver replaces the content of a file and keeps its owner and mode. With inPlace it
// writes the file itself, so that its other links see the change; otherwise it replaces the
// file in one step.
func writeOver(path, data string, inPlace bool) (err error) {
	if inPlace {
		f, _, err := openRegular(path, os.O_WRONLY)
		if err != nil {
			return err
		}
		_, err = f.WriteString(data)
		if err == nil {
			err = f.Truncate(int64(len(data)))
		}
		return errors.Join(err, f.Close())
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	return newFile(path, strings.NewReader(data), st)
}

// newFile writes a temporary file with the owner and mode of like, and renames it to path.
// A link at path is replaced, not followed.
func newFile(path string, from io.Reader, like fs.FileInfo) (err error) {
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	_, err = io.Copy(out, from)
	if uid, gid, ok := posix.Owner(like); ok && err == nil {
		err = out.Chown(uid, gid)
	}
	if err == nil {
		err = out.Chmod(like.Mode())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

// copyAs copies a file with its owner and mode.
func copyAs(from, to string) error {
	in, st, err := openRegular(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close()
	//mutant:edit-follows-no-link
	return newFile(to, in, st)
}

// keepOld copies a file to its name plus ending. None, False and "" keep no copy.
func keepOld(path string, ending any) error {
	if ending == nil || ending == false || ending == "" {
		return nil
	}
	name := path + PyStr(ending)
	if strings.ContainsRune(name, 0) || filepath.Dir(name) != filepath.Dir(path) {
		return InvocationErrorf("backup must be a file name suffix, not %s", PyRepr(ending))
	}
	return osFault(copyAs(path, name))
}

// textFault converts an error of an edit to the form users of Salt read.
func textFault(err error) error {
	var fault *text.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault) && fault.Usage:
		return &InvocationError{fault.Msg}
	}
	return &CommandError{err.Error()}
}

// KeepBackup copies a file into the folder file_backup of a minion's cache, under its path
// and the time, as Salt does before it replaces a file.
func KeepBackup(cachedir, path string, now time.Time) error {
	root := backupFolder(cachedir, path)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	stamp := now.Format(backupDay) + fmt.Sprintf("%06d", now.Nanosecond()/1000) + now.Format(backupYear)
	return copyAs(path, filepath.Join(root, filepath.Base(path)+"_"+stamp))
}
