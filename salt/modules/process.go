package modules

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/posix"
	hostproc "github.com/momtree/mom/internal/process"
)

// killGrace is how long the processes of an ended job have between the terminating signal
// and SIGKILL.
const killGrace = 5 * time.Second

// drainGrace is how long output is read from processes that left the group of a killed
// command but hold its pipes.
const drainGrace = time.Second

// process is one program to run in a group of its own.
type process struct {
	path    string // "" is argv[0]
	argv    []string
	raw     string // the command line of Windows; "" is argv, quoted for a program of C
	dir     string
	env     []string
	stdin   *string // nil: no input
	merge   bool    // stderr goes to stdout
	cred    *posix.Credential
	umask   int // -1 keeps that of the minion
	timeout time.Duration
	max     int64 // bytes kept of each stream
	discard bool  // output is not read: a background command

	terminal bool      // the program's streams are terminals
	show     io.Writer // also gets the output, as it arrives; may be nil
}

// outcome is the result of a process.
type outcome struct {
	pid            int
	retcode        int // negative signal number for a process ended by a signal
	stdout, stderr *capture
	timedOut       bool
}

// start starts the program. The caller owns its group, output pipes and standard input.
func (p *process) start() (*exec.Cmd, *hostproc.Group, *streams, error) {
	if len(p.argv) == 0 {
		return nil, nil, nil, errors.New("the command is empty")
	}
	cmd := &exec.Cmd{Path: cmp.Or(p.path, p.argv[0]), Args: p.argv, Dir: p.dir, Env: p.env}
	setCommandLine(cmd, p.raw)
	group := hostproc.NewGroup(cmd, p.cred)
	s, err := p.streams(cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if err = startWithUmask(cmd, p.umask); err == nil {
		err = group.Begin(cmd)
	}
	s.closeChild()
	if err != nil {
		s.closeOwn()
		return nil, nil, nil, err
	}
	return cmd, group, s, nil
}

// run runs the program to its end. When ctx ends, it signals the group, and kills it after
// killGrace. On a timeout it kills the group at once.
func (p *process) run(ctx context.Context) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	cmd, group, s, err := p.start()
	if err != nil {
		return outcome{}, err
	}
	pid := cmd.Process.Pid
	defer group.Close()
	untrack := track(ctx, group)
	defer untrack()

	out := outcome{pid: pid, stdout: newCapture(p.max), stderr: newCapture(p.max)}
	s.feed(p.stdin)
	done := make(chan struct{})
	read := s.collect(out.stdout, out.stderr, p.show)
	go func() {
		_ = cmd.Wait() // the process state has the result
		<-read
		close(done)
	}()
	var late <-chan time.Time
	if p.timeout > 0 {
		t := time.NewTimer(p.timeout)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-done:
		err = context.Cause(ctx) // the signal that ended the job may have killed it
	case <-late:
		out.timedOut = true
		killGroup(group, s, done)
	case <-ctx.Done():
		endGroup(ctx, group, s, done)
		err = context.Cause(ctx)
	}
	s.closeOwn()
	out.retcode = exitCode(cmd.ProcessState)
	return out, err
}

// endGroup signals a group to end and kills the rest after killGrace.
func endGroup(ctx context.Context, group *hostproc.Group, s *streams, done <-chan struct{}) {
	sig := syscall.SIGTERM
	var signal *SignalledError
	if errors.As(context.Cause(ctx), &signal) {
		sig = signal.Signal
	}
	group.Signal(sig)
	t := time.NewTimer(killGrace)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		killGroup(group, s, done)
	}
}

// killGroup kills a group and waits for its end. After drainGrace it stops reading output
// that processes outside the group hold open.
func killGroup(group *hostproc.Group, s *streams, done <-chan struct{}) {
	group.Kill()
	t := time.NewTimer(drainGrace)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		s.closeOwn()
		<-done
	}
}

func exitCode(st *os.ProcessState) int {
	if st == nil {
		return 1
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -int(ws.Signal())
	}
	return st.ExitCode()
}

// capture keeps the first bytes of a stream and counts all of them. A program with endless
// output is not blocked.
type capture struct {
	max, total int64
	kept       []byte
}

func newCapture(limit int64) *capture { return &capture{max: limit} }

func (c *capture) Write(b []byte) (int, error) {
	c.total += int64(len(b))
	if room := c.max - int64(len(c.kept)); room > 0 {
		c.kept = append(c.kept, b[:min(room, int64(len(b)))]...)
	}
	return len(b), nil
}

func (c *capture) cut() bool { return c.total > int64(len(c.kept)) }

var _ io.Writer = (*capture)(nil)
