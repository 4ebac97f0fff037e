package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is a daemon in a process group of its own, as Salt's daemons fork.
type process struct {
	name    string
	cmd     *exec.Cmd
	console *os.File
	done    chan struct{}
}

// start runs a daemon of mom, or of Salt if Salt is set.
func (w *world) start(name string, args ...string) (*process, error) {
	program, args := w.Program, append([]string{name, "-c", w.cluster.Top().ConfDir, "-l", "warning"}, args...)
	if w.Salt != "" {
		program, args = filepath.Join(w.Salt, "bin", "salt-"+name), args[1:]
	}
	console, err := os.Create(filepath.Join(w.Dir, name+".console"))
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(program, args...), console: console, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = console, console
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), console.Close())
	}
	go func() {
		_ = p.cmd.Wait() // Salt's daemons exit with the status of the signal
		close(p.done)
	}()
	return p, nil
}

// stop ends the daemon and the processes that it has forked.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	group := -p.cmd.Process.Pid
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var err error
	select {
	case <-p.done:
	case <-ctx.Done():
		err = fmt.Errorf("%s did not end on SIGTERM", p.name)
	}
	_ = syscall.Kill(group, syscall.SIGKILL) // remaining processes
	<-p.done
	return errors.Join(err, p.console.Close())
}

// memory returns the sum of the peak memory of the daemon's processes in bytes (VmHWM), or 0 on
// systems without it.
func (p *process) memory() (sum int64) {
	for dir := range p.group() {
		sum += kib(filepath.Join(dir, "status"), "VmHWM:")
	}
	return sum
}
