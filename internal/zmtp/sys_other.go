//go:build !unix

package zmtp

import (
	"errors"
	"net"
)

func openFilesLimit() int { return 16384 }

// writeNow writes nothing here: the drain goroutine then writes everything.
func writeNow(uintptr, []byte) (int, error) { return 0, nil }

const canReadNow = false

func readNow(uintptr, []byte) (n int, void bool, err error) { return 0, true, nil }

func unreadBytes(uintptr) int { return 0 }

func setBacklog(*net.TCPListener, int) error { return errors.ErrUnsupported }

func outOfFiles(error) bool { return false }
