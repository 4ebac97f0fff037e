package pgtest

import "syscall"

// attributes returns nil: Windows starts no process as another user by its number.
func attributes(*account) *syscall.SysProcAttr { return nil }
