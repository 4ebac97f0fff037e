//go:build unix

package posix

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags of [os.OpenFile]: do not follow a link, and do not wait for the other end of a pipe.
const (
	NoFollow = unix.O_NOFOLLOW
	NonBlock = unix.O_NONBLOCK
)

// CrossDevice is the error of a rename to another file system.
const CrossDevice = unix.EXDEV

// Stat are the attributes of a file.
type Stat = syscall.Stat_t

// Credential is the user and the groups of a program.
type Credential = syscall.Credential

// StatOf returns the attributes of a file; ok is false if info has none.
func StatOf(info fs.FileInfo) (st *Stat, ok bool) {
	st, ok = info.Sys().(*syscall.Stat_t)
	return st, ok
}

// Owner returns the user and the group of a file; ok is false if the system does not know them.
func Owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := StatOf(info)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// OwnedBy reports whether a file belongs to one of the users.
func OwnedBy(info fs.FileInfo, uids ...int) bool {
	uid, _, ok := Owner(info)
	for _, u := range uids {
		if ok && u == uid {
			return true
		}
	}
	return false
}

// Modes of [Access].
const (
	Exists   = unix.F_OK
	Readable = unix.R_OK
	Writable = unix.W_OK
	Runnable = unix.X_OK
)

// Access reports whether this process may use a file in a mode.
func Access(path string, mode uint32) bool { return unix.Access(path, mode) == nil }

// Lock locks a file for this process and waits until others have unlocked it. Closing the file
// unlocks it.
func Lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// TryLock locks a file for this process. It returns [ErrLocked] if another one has locked it.
// Closing the file unlocks it.
func TryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Uname returns the names of the system; ok is false if the system does not report them.
func Uname() (u Names, ok bool) {
	var s unix.Utsname
	if unix.Uname(&s) != nil {
		return u, false
	}
	return Names{
		System: unix.ByteSliceToString(s.Sysname[:]), Node: unix.ByteSliceToString(s.Nodename[:]),
		Release: unix.ByteSliceToString(s.Release[:]), Version: unix.ByteSliceToString(s.Version[:]),
		Machine: unix.ByteSliceToString(s.Machine[:]),
	}, true
}

// Fchmod sets the mode of an open file or socket.
func Fchmod(fd uintptr, mode fs.FileMode) error { return unix.Fchmod(int(fd), uint32(mode.Perm())) }

// Broadcast lets a socket send to broadcast addresses.
func Broadcast(fd uintptr) error {
	return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_BROADCAST, 1)
}

// OthersMayWrite reports whether the mode of a file lets its group or everybody write to it.
func OthersMayWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// Restrict does nothing: the mode with which a folder was created restricts it.
func Restrict(string) error { return nil }

// SyncFlag is the flag of [os.OpenFile] to sync a file.
const SyncFlag = os.O_RDONLY

// HasModes reports whether the mode of a file says who may use it.
const HasModes = true
