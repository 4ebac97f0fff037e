package functions

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/text"
)

// maxDiff is the largest file that is compared line by line, in bytes.
const maxDiff = 16 << 20

// replace replaces dest by the content of source in one step, with the owner and mode of
// dest. Only its owner can access a new file. backup says whether to keep the old file.
func (c *Call) replace(source, dest, backup string) (err error) {
	if !isDir(filepath.Dir(dest)) {
		return fmt.Errorf("[Errno 2] No such file or directory: %s", dest) // as in Salt
	}
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(dest), filepath.Base(dest))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	before, statErr := os.Stat(dest)
	if statErr == nil {
		if err := c.keep(dest, backup); err != nil {
			return err
		}
		if uid, gid, ok := posix.Owner(before); ok {
			if err := os.Chown(out.Name(), uid, gid); err != nil {
				return err
			}
		}
		if err := os.Chmod(out.Name(), fileMode(unixMode(before.Mode()))); err != nil {
			return err
		}
	}
	return os.Rename(out.Name(), dest)
}

// keep copies a file to the folder file_backup of the cache, as Salt does.
func (c *Call) keep(path, backup string) error {
	if backup == "" {
		backup, _ = c.Env.Option("backup_mode").(string)
	}
	switch backup {
	case "":
		return nil
	case "minion", "both":
	default:
		return fmt.Errorf("backup: %s is not supported by this minion: it keeps replaced files on this host alone (minion)", backup)
	}
	return modules.KeepBackup(pystr(c.Env.Option("cachedir")), path, time.Now())
}

// copyFile copies a file with its mode.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(fileMode(unixMode(st.Mode()))), out.Close())
}

// scratch writes data to a new file readable only by its owner.
func scratch(data []byte) (path string, err error) {
	f, err := os.CreateTemp("", "__salt.tmp.*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// hashOf returns the hash of a file.
func hashOf(path, kind string) (string, error) {
	h, err := crypt.NewHash(kind)
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// diffOf returns the difference of two files in Salt's form, "" if they are equal.
func diffOf(before, after string) (string, error) {
	same, err := sameFiles(before, after)
	if err != nil || same {
		return "", err
	}
	a, bigA, err := readSome(before)
	if err != nil {
		return "", err
	}
	b, bigB, err := readSome(after)
	if err != nil {
		return "", err
	}
	if msg := binaries(text.IsText(a), text.IsText(b)); msg != "" {
		return msg, nil
	}
	if bigA || bigB {
		return fmt.Sprintf("The files are larger than %d bytes: their lines are not compared", maxDiff), nil
	}
	return text.Diff(string(a), string(b)), nil
}

func binaries(textBefore, textAfter bool) string {
	switch {
	case !textBefore && !textAfter:
		return "Replace binary file"
	case !textBefore:
		return "Replace binary file with text file"
	case !textAfter:
		return "Replace text file with binary file"
	}
	return ""
}

func sameFiles(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	if err != nil || x.Size() != y.Size() {
		return false, err
	}
	var sums [2][sha256.Size]byte
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return false, err
		}
		h.Sum(sums[i][:0])
	}
	return sums[0] == sums[1], nil
}

// readSome reads the part of a file that is compared.
func readSome(path string) (data []byte, more bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxDiff+1))
	if len(data) > maxDiff {
		return data[:maxDiff], true, err
	}
	return data, false, err
}

// touch creates a missing file, and sets the times of an existing one.
func touch(path string, at time.Time) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || isDir(path) {
			return os.Chtimes(path, at, at)
		}
		return err
	}
	return errors.Join(f.Close(), os.Chtimes(path, at, at))
}
