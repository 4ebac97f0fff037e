package power

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Environment that [Recorder.Wrap] sets for a process to be recorded.
const (
	socketVariable  = "POWER_SOCKET"
	programVariable = "POWER_PROGRAM"
)

// Confine replaces this process by the program that a [Recorder] records, if it was started for that.
// Otherwise it does nothing. A TestMain calls it first.
func Confine() {
	socket := os.Getenv(socketVariable)
	if socket == "" {
		return
	}
	if err := confine(socket, os.Getenv(programVariable)); err != nil {
		fmt.Fprintln(os.Stderr, "record a process:", err)
		os.Exit(1)
	}
}

func confine(socket, program string) error {
	runtime.LockOSThread() // the filter belongs to the thread and survives its exec
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := notified()
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("install the seccomp filter (needs Linux 5.19): %w", errno)
	}
	if err := unix.Sendmsg(fd, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return err
	}
	return unix.Exec(program, os.Args, os.Environ())
}

// Offsets in the data that the filter sees.
const (
	dataNumber = 0
	dataArgs   = 16 // 8 bytes each, lower half first on both supported architectures
)

// notified returns the filter: it notifies the recorder of calls that may change files.
func notified() (f []unix.SockFilter) {
	add := func(code uint16, k uint32, jt, jf uint8) {
		f = append(f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}
	load := func(at uint32) { add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }
	ret := func(what uint32) { add(unix.BPF_RET|unix.BPF_K, what, 0, 0) }
	is := func(n uintptr, behind uint8) { add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint32(n), 0, behind) }
	has := func(bits uint32, yes, no uint8) { add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, bits, yes, no) }
	load(dataNumber)
	for n := range calls {
		switch n {
		case unix.SYS_OPENAT: // opening to read, or to write an existing file, changes nothing
			is(n, 4)
			load(dataArgs + 2*8)
			has(opens, 0, 1)
			ret(unix.SECCOMP_RET_USER_NOTIF)
			ret(unix.SECCOMP_RET_ALLOW)
		case unix.SYS_MMAP:
			is(n, 7)
			load(dataArgs + 2*8)
			has(unix.PROT_WRITE, 0, 4)
			load(dataArgs + 3*8)
			has(unix.MAP_ANONYMOUS, 2, 0)
			has(unix.MAP_SHARED, 0, 1)
			ret(unix.SECCOMP_RET_USER_NOTIF)
			ret(unix.SECCOMP_RET_ALLOW)
		default:
			is(n, 1)
			ret(unix.SECCOMP_RET_USER_NOTIF)
		}
	}
	ret(unix.SECCOMP_RET_ALLOW)
	return f
}
