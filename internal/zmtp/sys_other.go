//go:build !unix

package zmtp

import (
	"errors"
	"net"
)

func openFilesLimit() int { return 16384 }

// writeNow takes nothing here: the drain goroutine then writes everything.
func writeNow(uintptr, []byte) (int, error) { return 0, nil }

func setBacklog(*net.TCPListener, int) error { return errors.ErrUnsupported }

func outOfFiles(error) bool { return false }
