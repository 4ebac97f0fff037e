package redistest

import "syscall"

// dieWithParent makes the server end even if the test is killed.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
