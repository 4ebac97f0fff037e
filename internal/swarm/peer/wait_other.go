//go:build !unix

package peer

import (
	"net"
	"syscall"
)

// fillFunc reads into what room gives.
type fillFunc func(room func() []byte, idle func()) (int, error)

func reader(c net.Conn) fillFunc { return plainReader(c) }

func control(_, _ string, _ syscall.RawConn) error { return nil }
