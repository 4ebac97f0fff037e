//go:build !linux

package zmtp

import (
	"net"
	"syscall"
)

// userTimeout has no effect here: keep-alive must suffice.
func userTimeout(net.KeepAliveConfig) func(network, addr string, c syscall.RawConn) error {
	return nil
}

// keepAlive enables keep-alive on accepted connections.
func keepAlive(lc *net.ListenConfig, k net.KeepAliveConfig) { lc.KeepAliveConfig = k }
