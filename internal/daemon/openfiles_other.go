//go:build !unix

package daemon

import "math"

// RaiseOpenFiles has nothing to raise: this system has no such limit.
func RaiseOpenFiles(n uint64) (uint64, error) { return n, nil }

// OpenFiles has no limit to tell.
func OpenFiles() (now, hard uint64, err error) { return math.MaxInt32, math.MaxInt32, nil }
