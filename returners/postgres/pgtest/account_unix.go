//go:build !windows

package pgtest

import "syscall"

// attributes makes a process run as the owner of the directory.
func attributes(owner *account) *syscall.SysProcAttr {
	if owner == nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}}
}
