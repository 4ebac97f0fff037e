package daemon

import (
	"fmt"
	"net"
	"os"
	"time"
)

const notifyTimeout = time.Second

// Notify sends systemd a state such as "READY=1" or "STOPPING=1" (sd_notify(3)). Without a
// service manager it does nothing.
func Notify(state string) error {
	addr := os.Getenv("NOTIFY_SOCKET")
	if addr == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: addr, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	// A service manager that does not read must not block the daemon.
	if err = c.SetWriteDeadline(time.Now().Add(notifyTimeout)); err == nil {
		_, err = c.Write([]byte(state))
	}
	if cerr := c.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	return nil
}
