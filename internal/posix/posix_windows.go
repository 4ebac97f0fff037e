package posix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// Flags of [os.OpenFile] that Windows does not have.
const (
	NoFollow = 0
	NonBlock = 0
)

// CrossDevice is the error of a rename to another volume.
const CrossDevice = windows.ERROR_NOT_SAME_DEVICE

// Stat are the attributes of a file. Windows has no owner in numbers and no inode here: Uid,
// Gid, Ino, Dev and Rdev are 0, and Nlink is 1.
type Stat struct {
	Mode, Uid, Gid        uint32
	Ino, Dev, Rdev, Nlink uint64
	Size                  int64
}

// Credential is the user and the groups of a program. Windows runs programs as the user of this
// process only.
type Credential struct {
	Uid, Gid    uint32
	Groups      []uint32
	NoSetGroups bool
}

// StatOf returns the attributes of a file.
func StatOf(info fs.FileInfo) (st *Stat, ok bool) {
	mode := uint32(info.Mode().Perm())
	switch info.Mode().Type() {
	case 0:
		mode |= syscall.S_IFREG
	case fs.ModeDir:
		mode |= syscall.S_IFDIR
	case fs.ModeSymlink:
		mode |= syscall.S_IFLNK
	case fs.ModeNamedPipe:
		mode |= syscall.S_IFIFO
	case fs.ModeSocket:
		mode |= syscall.S_IFSOCK
	default:
		mode |= syscall.S_IFCHR
	}
	return &Stat{Mode: mode, Nlink: 1, Size: info.Size()}, true
}

// Owner returns false: Windows has no users in numbers.
func Owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

// OwnedBy returns true: the access lists of Windows decide who may write to a file.
func OwnedBy(fs.FileInfo, ...int) bool { return true }

// Modes of [Access].
const (
	Exists   = 0
	Readable = 4
	Writable = 2
	Runnable = 1
)

// Access reports whether a file exists and, for Writable, is not read-only. A program is a file
// with an ending of PATHEXT.
func Access(path string, mode uint32) bool {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case mode == Writable:
		return st.IsDir() || st.Mode().Perm()&0o200 != 0
	}
	return true
}

// lockOffset is where the locked byte is: behind the end of every file, since Windows keeps others
// from reading what is locked.
const lockOffset = 1 << 30

func lock(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffset})
}

// Lock locks a file for this process and waits until others have unlocked it. Closing the file
// unlocks it.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryLock locks a file for this process. It returns [ErrLocked] if another one has locked it.
// Closing the file unlocks it.
func TryLock(f *os.File) error {
	err := lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Uname returns the names of the system.
func Uname() (Names, bool) {
	v := windows.RtlGetVersion()
	host, _ := os.Hostname()
	machine := map[string]string{"amd64": "AMD64", "386": "x86", "arm64": "ARM64"}[runtime.GOARCH]
	return Names{
		System: "Windows", Node: host, Release: release(v), Machine: machine,
		Version: fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber),
	}, true
}

// release returns the name of a version as Python's platform.release does.
func release(v *windows.OsVersionInfoEx) string {
	const workstation = 1
	type name struct {
		major, minor, build uint32
		client, server      string
	}
	for _, n := range []name{
		{10, 0, 26100, "11", "2025Server"},
		{10, 0, 22000, "11", "2022Server"},
		{10, 0, 20348, "10", "2022Server"},
		{10, 0, 17763, "10", "2019Server"},
		{10, 0, 0, "10", "2016Server"},
		{6, 3, 0, "8.1", "2012ServerR2"},
		{6, 2, 0, "8", "2012Server"},
		{6, 1, 0, "7", "2008ServerR2"},
		{6, 0, 0, "Vista", "2008Server"},
	} {
		if v.MajorVersion == n.major && v.MinorVersion == n.minor && v.BuildNumber >= n.build {
			if v.ProductType == workstation {
				return n.client
			}
			return n.server
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d.%d", v.MajorVersion, v.MinorVersion))
}

// Fchmod does nothing: a socket gets the access list of its folder.
func Fchmod(uintptr, fs.FileMode) error { return nil }

// Broadcast lets a socket send to broadcast addresses.
func Broadcast(fd uintptr) error {
	return windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_BROADCAST, 1)
}

// OthersMayWrite reports whether the mode of a file lets its group or everybody write to it. Windows has no such mode: it
// returns false.
func OthersMayWrite(fs.FileInfo) bool { return false }

// restricted is the access list of a folder that only the system, administrators and the owner
// of a file in it may use, with all that is below it.
const restricted = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)"

// Restrict lets only the system, administrators and the owner of a file use a folder and what is
// below it.
func Restrict(dir string) error {
	sd, err := windows.SecurityDescriptorFromString(restricted)
	if err != nil {
		return err
	}
	list, _, err := sd.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// SyncFlag is the flag of [os.OpenFile] to sync a file. Windows syncs only a file that was opened for
// writing.
const SyncFlag = os.O_RDWR

// HasModes reports whether the mode of a file says who may use it. On Windows its access list
// does.
const HasModes = false
