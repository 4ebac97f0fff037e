package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/posix"
)

// markName is the file by which a folder is that of a demo. Its lock is held while the
// demo runs, and it holds the demo's process id.
const markName = "demo.lock"

// claim locks the folder of a demo before anything in it is written: it is empty or not
// there, or that of a demo that has ended. The caller closes the file that it returns.
func claim(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, markName)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty and not the folder of a demo; name another with --dir", dir)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := posix.TryLock(f); err != nil {
		who, _ := os.ReadFile(path) // only to name it
		err = fmt.Errorf("a demo runs in %s (process %s); stop it with Ctrl-C there, or name another folder with --dir", dir, strings.TrimSpace(string(who)))
		return nil, errors.Join(err, f.Close())
	}
	if err := errors.Join(noneLeft(dir), f.Truncate(0)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// noneLeft reports members of an earlier demo that run although it has ended, for instance
// because it was killed.
func noneLeft(dir string) error {
	pids, err := filepath.Glob(filepath.Join(dir, "*", "pid"))
	if err != nil {
		return err
	}
	var left []string
	for _, path := range pids {
		if pid, ok := daemon.Running(path); ok {
			left = append(left, fmt.Sprintf("%s (process %d)", filepath.Base(filepath.Dir(path)), pid))
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("members of an earlier demo still run in %s: %s; end them, or name another folder with --dir", dir, strings.Join(left, ", "))
}
