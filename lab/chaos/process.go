//go:build linux

package chaos

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one life of a member.
type process struct {
	id      string
	started time.Time
	cmd     *exec.Cmd
	done    chan struct{}
	err     error // after done
}

// startProcess runs a daemon. It has to be called inside its station.
func startProcess(program, id string, k kind, dir string) (*process, error) {
	console, err := os.OpenFile(filepath.Join(dir, "console"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", id, err)
	}
	defer console.Close()
	cmd := exec.Command(program, string(k), "-c", filepath.Join(dir, "conf"), "-l", "info")
	cmd.Args[0] = "mom"
	cmd.Stdout, cmd.Stderr = console, console
	cmd.Env = append(os.Environ(), envRan+"="+filepath.Join(dir, "ran"), EnvClock+"="+filepath.Join(dir, "clock"))
	// A group of its own, so that only the daemon is hit by what is done to it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", id, err)
	}
	p := &process{id: id, started: time.Now(), cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %v to %s: %w", s, p.id, err)
	}
	return nil
}

// kill ends it at once.
func (p *process) kill() error {
	err := p.signal(syscall.SIGKILL)
	<-p.done
	return err
}

// stop ends it as an operator does; it is killed if that takes longer than patience.
func (p *process) stop(patience time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-p.done:
		return nil
	case <-t.C:
		_ = p.signal(syscall.SIGQUIT) // its goroutines, into the console
		select {
		case <-p.done:
		case <-time.After(2 * time.Second):
		}
		return errors.Join(fmt.Errorf("%s did not end within %v of SIGTERM", p.id, patience), p.kill())
	}
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// peak is the most memory it ever held, in bytes (VmHWM).
func (p *process) peak() int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0 // it has ended
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if rest, ok := strings.CutPrefix(sc.Text(), "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
