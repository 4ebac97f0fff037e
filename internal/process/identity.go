package process

import "os"

// Identity names one process. Two processes never share all three fields.
type Identity struct {
	PID int
	// Boot is the id of the system boot under which the process runs; "" if the system has no
	// such id.
	Boot string
	// Started is when the process started, in the kernel's clock ticks since boot, on Windows in
	// units of 100 ns since 1601; 0 if the system does not report it.
	Started int64
}

// Self returns the identity of this process.
func Self() Identity { return Of(os.Getpid()) }

// Of returns the identity of the process that has this pid now. If no process has it, only PID
// is set.
func Of(pid int) Identity {
	id := Identity{PID: pid}
	id.Boot, id.Started = bootID(), startTime(pid)
	return id
}

// Alive reports whether the process still runs. A zombie does not, nor does a thread with the
// number of a process that ended. For an identity without Boot or Started, such as one that
// Salt recorded, only the pid is compared.
func (i Identity) Alive() bool {
	if !Exists(i.PID) {
		return false
	}
	now := Of(i.PID)
	if i.Boot != "" && now.Boot != "" && i.Boot != now.Boot {
		return false
	}
	//mutant:jobs-pid-of-another-process
	return i.Started == 0 || now.Started == 0 || i.Started == now.Started
}

// Exists reports whether pid is the number of a running process, and not of a zombie or a
// thread.
func Exists(pid int) bool {
	if pid <= 0 {
		return false
	}
	if !exists(pid) {
		return false
	}
	//mutant:jobs-pid-of-a-thread
	return !ended(pid) && !isThread(pid)
}
