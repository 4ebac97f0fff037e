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
