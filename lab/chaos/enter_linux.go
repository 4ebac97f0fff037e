package chaos

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrNotPermitted means that namespaces or TUN devices cannot be created here.
var ErrNotPermitted = errors.New("namespaces are not permitted")

// exitNotPermitted is the exit code by which the inner process reports [ErrNotPermitted].
const exitNotPermitted = 90

const envInside = "MOM_CHAOS_INSIDE"

// Inside reports whether this process was started by [Enter].
func Inside() bool { return os.Getenv(envInside) != "" }

// Enter runs this program again with args in namespaces of its own (network, mounts, processes) and
// returns its exit code. Its processes and mounts end with it. The inner program is the init process
// of its namespace, so Enter passes SIGINT and SIGTERM on to it.
func Enter(args []string) (code int, err error) {
	flags := uintptr(unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID)
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), envInside+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Setpgid: true}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s)
			continue
		case err = <-done:
		}
		break
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitNotPermitted:
		return 0, ErrNotPermitted
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1), nil
	}
	return 1, err
}

// Settle sets the namespaces up. Call it first if [Inside] returns true. Without permission it exits
// with a code that Enter recognizes.
func Settle() {
	if err := settle(); err != nil {
		fmt.Fprintln(os.Stderr, "chaos: no namespaces here:", err)
		os.Exit(exitNotPermitted)
	}
}

func settle() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	c, err := newCell()
	if err != nil {
		return err
	}
	defer c.close()
	return c.do(func() error {
		f, err := openTunnel("10.17.0.254")
		if err != nil {
			return err
		}
		return f.Close()
	})
}
