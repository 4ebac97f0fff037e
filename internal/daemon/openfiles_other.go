//go:build !unix

package daemon

import "math"

// RaiseOpenFiles does nothing: this system has no such limit.
func RaiseOpenFiles(n uint64) (uint64, error) { return n, nil }

// OpenFiles returns no real limit.
func OpenFiles() (now, hard uint64, err error) { return math.MaxInt32, math.MaxInt32, nil }
