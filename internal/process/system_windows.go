package process

import (
	"errors"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that runs.
const stillActive = 259

// exists reports whether pid is the number of a running process.
func exists(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing is lost
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

// startTime returns when a process started, in units of 100 ns since 1601.
func startTime(pid int) int64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing is lost
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	return int64(created.HighDateTime)<<32 | int64(created.LowDateTime)
}

// Executable returns the path of the program of a process.
func Executable(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing is lost
	name := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(name))
	if err := windows.QueryFullProcessImageName(h, 0, &name[0], &n); err != nil {
		return "", err
	}
	return windows.UTF16ToString(name[:n]), nil
}
