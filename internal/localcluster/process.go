package localcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/process"
)

// Process is a member that runs as a separate process.
type Process struct {
	Member
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start runs a member with the program exe. Its console log goes to the file "console" in the
// member's directory, at level info unless more options change that.
func Start(exe string, m Member, more ...string) (*Process, error) {
	out, err := os.OpenFile(filepath.Join(m.Dir, "console"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", m.ID, err)
	}
	defer out.Close()
	cmd := exec.Command(exe, append([]string{m.Kind, "-c", m.ConfDir, "-l", "info"}, more...)...)
	cmd.Args[0] = "mom"
	cmd.Stdout, cmd.Stderr = out, out
	group := process.NewGroup(cmd, nil) // this process forwards an interrupt of the terminal
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", m.ID, err)
	}
	if err := group.Begin(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", m.ID, err)
	}
	p := &Process{Member: m, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		group.Close()
		close(p.done)
	}()
	return p, nil
}

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pid returns the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Kill ends the process by SIGKILL and waits for it.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.ID, err)
	}
	<-p.done
	return nil
}

// Stop ends the process by SIGTERM, and by SIGKILL if ctx ends first.
func (p *Process) Stop(ctx context.Context) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.ID, err)
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("stop %s: it did not end on SIGTERM", p.ID), p.Kill())
	}
}

// StopAll stops processes concurrently, with the same ctx.
func StopAll(ps []*Process, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	errs := make(chan error, len(ps))
	for _, p := range ps {
		go func() { errs <- p.Stop(ctx) }()
	}
	var all []error
	for range ps {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
