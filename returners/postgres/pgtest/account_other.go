//go:build !linux && !windows

package pgtest

import "syscall"

func attributes(owner *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	if owner != nil {
		a.Credential = &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}
	}
	return a
}
