package power

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Recorder writes down what processes do to files. Their calls wait for it, so its order is theirs.
type Recorder struct {
	*Log
	socket *net.UnixListener
	pause  func() time.Duration // how much longer than at once a sync takes
	wg     sync.WaitGroup
}

// The kernel's structures of seccomp's user notification.
type (
	notification struct {
		id         uint64
		pid, flags uint32
		number     int32
		arch       uint32
		at         uint64
		args       [6]uint64
	}
	answer struct {
		id    uint64
		value int64
		err   int32
		flags uint32
	}
)

// NewRecorder records into a log. Syncs take as long as pause says and reach no disk: none is needed,
// and an answer that does not wait for a slow one is seen to come before it.
func NewRecorder(l *Log, pause func() time.Duration) (*Recorder, error) {
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		return nil, err
	}
	r := &Recorder{Log: l, pause: pause}
	if r.socket, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "socket")}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r.wg.Go(r.accept)
	return r, nil
}

// Wrap gives the program to be started in the place of another one, so that it is recorded. The
// process that calls it has to call [Confine] first thing.
func (r *Recorder) Wrap(program string) (string, error) {
	self, err := os.Executable()
	return self, errors.Join(err, os.Setenv(socketVariable, r.socket.Addr().String()), os.Setenv(programVariable, program))
}

// Close waits for the processes that are recorded, which have to end.
func (r *Recorder) Close() error {
	path := r.socket.Addr().String()
	err := r.socket.Close()
	r.wg.Wait()
	return errors.Join(err, os.RemoveAll(filepath.Dir(path)), os.Unsetenv(socketVariable), os.Unsetenv(programVariable))
}

func (r *Recorder) accept() {
	for {
		c, err := r.socket.AcceptUnix()
		if err != nil {
			return // closed
		}
		fd, err := received(c)
		if err = errors.Join(err, c.Close()); err != nil {
			r.fail("take over a process: %w", err)
			continue
		}
		r.wg.Go(func() { r.serve(fd) })
	}
}

func received(c *net.UnixConn) (int, error) {
	b, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.ReadMsgUnix(b, oob)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return 0, errors.Join(io.ErrUnexpectedEOF, err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return fds[0], nil
}

func (r *Recorder) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost(format, args...)
}

// serve answers the calls of one process and its children until none of them is left.
func (r *Recorder) serve(fd int) {
	var syncs sync.WaitGroup
	defer unix.Close(fd)
	defer syncs.Wait()
	for {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(p, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			r.fail("wait for calls: %w", err)
			return
		}
		if p[0].Revents&unix.POLLIN == 0 {
			return // hung up
		}
		var n notification
		if err := control(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) { // who asked was killed
				continue
			}
			r.fail("take a call: %w", err)
			return
		}
		c := &call{notification: n, log: r.Log}
		r.mu.Lock()
		calls[uintptr(n.number)](c)
		since := len(r.ops)
		r.mu.Unlock()
		if c.syncs == nil {
			r.reply(fd, c)
			continue
		}
		syncs.Go(func() {
			time.Sleep(r.pause())
			r.mu.Lock()
			r.ended(c.syncs, since)
			r.mu.Unlock()
			r.reply(fd, c)
		})
	}
}

func (r *Recorder) reply(fd int, c *call) {
	a := answer{id: c.id, err: -int32(c.errno)}
	if c.goes {
		a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	err := control(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
	if err != nil && !errors.Is(err, unix.ENOENT) { // who asked was killed
		r.fail("answer a call: %w", err)
	}
}

func control(fd int, what uintptr, p unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), what, uintptr(p)); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
