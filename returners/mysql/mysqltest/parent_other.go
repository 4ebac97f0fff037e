//go:build !linux

package mysqltest

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }
