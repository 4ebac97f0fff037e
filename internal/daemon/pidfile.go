package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/process"
)

// PidFile is the pid file of this process. A second instance never removes or
// overwrites the file of a running one.
type PidFile struct {
	path string
	pid  int
}

// ErrRunning is returned when the process in the pid file is running.
var ErrRunning = errors.New("already running")

// WritePidFile writes the pid of this process to path; "" writes nothing. It returns
// [ErrRunning] if the process in the file runs this program or one of the commands in others,
// such as Python's salt-master, which this daemon is about to replace.
func WritePidFile(path string, others ...string) (*PidFile, error) {
	p := &PidFile{path: path, pid: os.Getpid()}
	if path == "" {
		return p, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("pidfile: %w", err)
	}
	f, err := lockFile(path)
	if err != nil {
		return nil, fmt.Errorf("pidfile: %w", err)
	}
	defer f.Close()
	if pid, ok := readPid(path); ok && pid != p.pid && alive(pid, others) {
		return nil, fmt.Errorf("pidfile %s: process %d is %w", path, pid, ErrRunning)
	}
	if err := f.Truncate(0); err != nil {
		return nil, fmt.Errorf("pidfile: %w", err)
	}
	if _, err := f.WriteString(strconv.Itoa(p.pid) + "\n"); err != nil {
		return nil, fmt.Errorf("pidfile: %w", err)
	}
	return p, nil
}

// Remove removes the file if it still belongs to this process.
func (p *PidFile) Remove() error {
	if p == nil || p.path == "" {
		return nil
	}
	if pid, ok := readPid(p.path); !ok || pid != p.pid {
		return nil
	}
	f, err := lockFile(p.path)
	if err != nil {
		return fmt.Errorf("pidfile: %w", err)
	}
	defer f.Close()
	if pid, ok := readPid(p.path); ok && pid != p.pid {
		return nil
	}
	if err := os.Remove(p.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pidfile: %w", err)
	}
	return nil
}

// lockFile opens the file under a lock, so that one of two instances that start at the same
// time sees the other. The lock is held only during the check, because Salt does not use it.
func lockFile(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := posix.Lock(f); err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		ours, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(ours, there) {
			return f, nil
		}
		_ = f.Close() // it was removed during the wait
	}
}

func readPid(path string) (int, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid, err == nil && pid > 0
}

// alive reports whether pid is a process of this program or of one of the others. The pid in
// the file may belong to another program by now, for instance after a reboot.
func alive(pid int, others []string) bool {
	if !process.Exists(pid) {
		return false
	}
	own, err1 := process.Executable(os.Getpid())
	other, err2 := process.Executable(pid)
	if err1 != nil || err2 != nil {
		return true
	}
	if filepath.Base(strings.TrimSuffix(other, " (deleted)")) == filepath.Base(strings.TrimSuffix(own, " (deleted)")) {
		return true
	}
	return slices.ContainsFunc(words(pid), func(w string) bool { return slices.Contains(others, filepath.Base(w)) })
}

// words returns the words of a process's command line. A script is one of them, after its
// interpreter. Some programs replace the line by their name and activity, separated by blanks.
func words(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 || r == ' ' })
}

// Running returns the pid in the file at path; ok is true if that process is running this
// program.
func Running(path string) (pid int, ok bool) {
	pid, ok = readPid(path)
	return pid, ok && alive(pid, nil)
}
