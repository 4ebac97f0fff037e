//go:build !linux

package zmtp

import (
	"net"
	"syscall"
)

// userTimeout has nothing to set here: keep-alive alone must do.
func userTimeout(net.KeepAliveConfig) func(network, addr string, c syscall.RawConn) error {
	return nil
}

// keepAlive has what is accepted kept alive.
func keepAlive(lc *net.ListenConfig, k net.KeepAliveConfig) { lc.KeepAliveConfig = k }
