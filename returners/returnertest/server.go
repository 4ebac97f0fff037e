package returnertest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Process is the process of a database server. It ends with the test, even if that is killed.
type Process struct {
	// Name of the program, for errors.
	Name string
	// Log is the file to which the output is appended.
	Log string

	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
}

// ErrEnded means that a server ended before it was ready.
var ErrEnded = errors.New("the server ended")

// patience is how long a server may take to start or to stop.
const patience = 2 * time.Minute

// Start runs cmd and waits until ready succeeds.
func (p *Process) Start(cmd *exec.Cmd, ready func(ctx context.Context) error) error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	dead := make(chan struct{})
	p.cmd, p.dead = cmd, dead
	go func() {
		defer close(dead)
		_ = cmd.Wait() // its log has the reason
	}()
	if err := p.await(ready); err != nil {
		return fmt.Errorf("%s does not serve: %w: %s", p.Name, err, p.tail())
	}
	return nil
}

func (p *Process) await(ready func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.dead:
			p.cmd = nil
			return errors.Join(ErrEnded, err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

func (p *Process) tail() string {
	b, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// End sends a signal and waits until the server has ended. It does nothing for a server that does not run.
func (p *Process) End(sig os.Signal) error {
	if p.cmd == nil {
		return nil
	}
	defer func() { p.cmd = nil }()
	err := p.cmd.Process.Signal(sig)
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-p.dead:
		return nil
	case <-t.C:
		_ = p.cmd.Process.Kill()
		<-p.dead
		return errors.Join(err, fmt.Errorf("%s did not stop in %v and was killed", p.Name, patience))
	}
}

// removable is a server that a test has started.
type removable interface{ Remove() error }

// Own removes a new server at the end of the test. s and err are the results of its constructor.
func Own[S removable](tb testing.TB, s S, err error) S {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Remove(); err != nil {
			tb.Errorf("remove the server: %v", err)
		}
	})
	return s
}

// Connection closes a new connection at the end of the test. db and err are the results of its constructor.
func Connection(tb testing.TB, db *sql.DB, err error) *sql.DB {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db
}

// Exec runs statements on a connection of their own.
func Exec(tb testing.TB, connect func(database string) (*sql.DB, error), database, statements string, args ...any) {
	tb.Helper()
	db, err := connect(database)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(tb.Context(), statements, args...); err != nil {
		tb.Fatalf("%.100s: %v", statements, err)
	}
}

// Shared is a server for all tests of a package that do not stop it. It starts with the first that needs it.
type Shared[S removable] struct {
	New func() (S, error)

	once   sync.Once
	server S
	err    error
}

// Get returns the server.
func (s *Shared[S]) Get(tb testing.TB) S {
	tb.Helper()
	s.once.Do(func() { s.server, s.err = s.New() })
	if s.err != nil {
		tb.Fatal(s.err)
	}
	return s.server
}

// Main is the TestMain of the package: it also removes the server, and looks for goroutines that were left behind.
func (s *Shared[S]) Main(m *testing.M) {
	code := m.Run()
	started := true
	s.once.Do(func() { started = false })
	var errs []error
	if started && s.err == nil {
		errs = append(errs, s.server.Remove())
	}
	if err := errors.Join(append(errs, goleak.Find())...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
