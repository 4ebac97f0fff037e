package modules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/momtree/mom/salt/text"
)

// maxEdited is how large a file may be that is read whole, in bytes.
const maxEdited = 16 << 20

// filePath is an argument that is a path of a file to be read or written.
func (c *Call) filePath(name string) (string, error) {
	p := c.path(name)
	if p == "" || strings.ContainsRune(p, 0) {
		return "", argErrorf("%s is no path: %s", name, PyRepr(c.Value(name)))
	}
	return p, nil
}

// openRegular opens a file that holds something: no pipe, which would wait for another
// end, and no device.
func openRegular(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0)
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

var errNotRegular = errors.New("is no regular file")

// readWhole reads a file that is edited or searched in memory.
func readWhole(path string) (string, error) {
	f, st, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// A file of /proc has no size, and is read all the same.
	data, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	//mutant:edited-file-size
	if err == nil && len(data) > maxEdited {
		err = fmt.Errorf("%s has %d bytes: of more than %d it is not read into memory", path, max(st.Size(), int64(len(data))), maxEdited)
	}
	return string(data), err
}

// writeOver puts a text in the place of a file, which keeps its owner and mode: in the
// file itself, so that its other names see it too, or else in one step.
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

// newFile writes a file beside its place and then puts it there, with the owner and mode
// of another. A link at its place is replaced, not followed.
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
	if sys, ok := like.Sys().(*syscall.Stat_t); ok && err == nil {
		err = out.Chown(int(sys.Uid), int(sys.Gid))
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

// keepOld copies a file under its name with an ending, unless that is None, False or "".
func keepOld(path string, ending any) error {
	if ending == nil || ending == false || ending == "" {
		return nil
	}
	name := path + PyStr(ending)
	if strings.ContainsRune(name, 0) || filepath.Dir(name) != filepath.Dir(path) {
		return InvocationErrorf("backup is the ending of a name, not %s", PyRepr(ending))
	}
	return osFault(copyAs(path, name))
}

// textFault is an error of an edit as a user of Salt reads it.
func textFault(err error) error {
	var told *text.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told) && told.Usage:
		return &InvocationError{told.Msg}
	}
	return &CommandError{err.Error()}
}

// BackupTime is how the name of a kept file tells when that was: Salt's form, in local
// time.
const backupDay, backupYear = "Mon_Jan_02_15:04:05_", "_2006"

// KeepBackup copies a file into the folder file_backup of a minion's cache, under its
// path and the time, as Salt does it before it replaces one.
func KeepBackup(cachedir, path string, now time.Time) error {
	root := filepath.Join(cachedir, "file_backup", filepath.Clean("/"+filepath.Dir(path)))
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	stamp := now.Format(backupDay) + fmt.Sprintf("%06d", now.Nanosecond()/1000) + now.Format(backupYear)
	return copyAs(path, filepath.Join(root, filepath.Base(path)+"_"+stamp))
}
