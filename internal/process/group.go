package process

import "syscall"

// Ends reports whether a signal ends a process that does not handle it. Stop, continue and
// signals that are ignored by default do not.
func Ends(sig syscall.Signal) bool { return sig != 0 && !harmless(sig) }
