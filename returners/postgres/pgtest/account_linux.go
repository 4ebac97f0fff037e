package pgtest

import "syscall"

// attributes makes a process run as the owner of the directory and end with the test, even
// if that is killed.
func attributes(owner *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if owner != nil {
		a.Credential = &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}
	}
	return a
}
