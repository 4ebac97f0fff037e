package modules

import (
	"io"
	"os"
	"os/exec"
	"sync"
)

// streams are the pipes or terminals of one running process.
type streams struct {
	stdin          *os.File // nil: no input
	stdout, stderr *os.File // stderr nil: merged
	child          []*os.File
	once           sync.Once
}

// streams creates the pipes of a process and connects them to cmd.
func (p *process) streams(cmd *exec.Cmd) (*streams, error) {
	s := &streams{}
	if p.discard {
		return s, nil
	}
	open := func(how func() (r, w *os.File, err error)) (r, w *os.File, err error) {
		if r, w, err = how(); err != nil {
			s.closeChild()
			s.closeOwn()
		}
		return r, w, err
	}
	output := os.Pipe
	if p.terminal {
		output = openTerminal
	}
	var w *os.File
	var err error
	if s.stdout, w, err = open(output); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	s.child = append(s.child, w)
	if !p.merge {
		if s.stderr, w, err = open(output); err != nil {
			return nil, err
		}
		cmd.Stderr = w
		s.child = append(s.child, w)
	}
	if p.stdin != nil {
		var r *os.File
		if r, s.stdin, err = open(os.Pipe); err != nil {
			return nil, err
		}
		cmd.Stdin = r
		s.child = append(s.child, r)
	}
	return s, nil
}

// feed writes the standard input in the background. The program may leave part of it
// unread.
func (s *streams) feed(text *string) {
	if text == nil || s.stdin == nil {
		return
	}
	go func() {
		_, _ = io.WriteString(s.stdin, *text)
		_ = s.stdin.Close()
	}()
}

// collect reads the output into the captures and copies it to show, which may be nil. The
// channel is closed at the end of both streams.
func (s *streams) collect(stdout, stderr *capture, show io.Writer) <-chan struct{} {
	var wg sync.WaitGroup
	read := func(f *os.File, into *capture) {
		if f == nil {
			return
		}
		var to io.Writer = into
		if show != nil {
			to = io.MultiWriter(into, show)
		}
		wg.Go(func() { _, _ = io.Copy(to, f) })
	}
	read(s.stdout, stdout)
	read(s.stderr, stderr)
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	return done
}

// closeChild closes the ends that belong to the started program.
func (s *streams) closeChild() {
	for _, f := range s.child {
		_ = f.Close()
	}
	s.child = nil
}

// closeOwn closes the minion's ends, which also ends blocked reads.
func (s *streams) closeOwn() {
	s.once.Do(func() {
		for _, f := range []*os.File{s.stdin, s.stdout, s.stderr} {
			if f != nil {
				_ = f.Close()
			}
		}
	})
}
