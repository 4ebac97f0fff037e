package modules

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo terminal: output written to w is read from r. Neither becomes
// the controlling terminal of a process.
func openTerminal() (r, w *os.File, err error) {
	r, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	conn, err := r.SyscallConn()
	if err == nil {
		var number uint32
		var fault error
		err = conn.Control(func(fd uintptr) {
			if fault = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); fault == nil {
				number, fault = unix.IoctlGetUint32(int(fd), unix.TIOCGPTN)
			}
		})
		if err == nil {
			err = fault
		}
		if err == nil {
			w, err = os.OpenFile("/dev/pts/"+strconv.FormatUint(uint64(number), 10), os.O_RDWR|unix.O_NOCTTY, 0)
		}
	}
	if err != nil {
		_ = r.Close()
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	return r, w, nil
}
