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
)

// killGrace is how long the processes of an ended job have between the signal
// that asks them and the one that does not.
const killGrace = 5 * time.Second

// drainGrace is how long output is still read from processes that left the
// group of a killed command but hold its pipes.
const drainGrace = time.Second

// process is one program to run in a process group of its own.
type process struct {
	path    string // "" is argv[0]
	argv    []string
	dir     string
	env     []string
	stdin   *string // nil reads nothing
	merge   bool    // stderr goes where stdout goes
	cred    *syscall.Credential
	umask   int // -1 leaves it
	timeout time.Duration
	max     int64 // bytes kept of each stream
	discard bool  // nothing is read: a background command

	terminal bool      // the program writes to terminals
	show     io.Writer // gets the output too, as it comes; nil: nobody does
}

// outcome is what became of a process.
type outcome struct {
	pid            int
	retcode        int // minus the signal for a process ended by one
	stdout, stderr *capture
	timedOut       bool
}

// start starts the program. Its group, output pipes and standard input belong
// to the caller.
func (p *process) start() (*exec.Cmd, *streams, error) {
	if len(p.argv) == 0 {
		return nil, nil, errors.New("the command is empty")
	}
	cmd := &exec.Cmd{Path: cmp.Or(p.path, p.argv[0]), Args: p.argv, Dir: p.dir, Env: p.env}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.cred}
	s, err := p.streams(cmd)
	if err != nil {
		return nil, nil, err
	}
	err = startWithUmask(cmd, p.umask)
	s.closeChild()
	if err != nil {
		s.closeOwn()
		return nil, nil, err
	}
	return cmd, s, nil
}

// run runs the program to its end. When ctx ends, its group is asked to end and
// after killGrace killed; when the timeout passes it is killed at once.
func (p *process) run(ctx context.Context) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	cmd, s, err := p.start()
	if err != nil {
		return outcome{}, err
	}
	pid := cmd.Process.Pid
	untrack := track(ctx, pid)
	defer untrack()

	out := outcome{pid: pid, stdout: newCapture(p.max), stderr: newCapture(p.max)}
	s.feed(p.stdin)
	done := make(chan struct{})
	read := s.collect(out.stdout, out.stderr, p.show)
	go func() {
		_ = cmd.Wait() // the state below tells all of it
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
		err = context.Cause(ctx) // it may have died of what ended the job
	case <-late:
		out.timedOut = true
		killGroup(pid, s, done)
	case <-ctx.Done():
		endGroup(ctx, pid, s, done)
		err = context.Cause(ctx)
	}
	s.closeOwn()
	out.retcode = exitCode(cmd.ProcessState)
	return out, err
}

// endGroup asks a group to end and kills what is left of it after killGrace.
func endGroup(ctx context.Context, pid int, s *streams, done <-chan struct{}) {
	sig := syscall.SIGTERM
	var told *SignalledError
	if errors.As(context.Cause(ctx), &told) {
		sig = told.Signal
	}
	_ = syscall.Kill(-pid, sig)
	t := time.NewTimer(killGrace)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		killGroup(pid, s, done)
	}
}

// killGroup kills a group and waits for its end. Output that processes outside
// the group hold open is given up after drainGrace.
func killGroup(pid int, s *streams, done <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
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

// capture keeps the first bytes of a stream and counts all of them, so that a
// program that writes without end is neither blocked nor believed to be done.
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
