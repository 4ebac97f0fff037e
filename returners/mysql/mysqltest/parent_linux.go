package mysqltest

import "syscall"

// dieWithParent ends the server even when the test is killed.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
