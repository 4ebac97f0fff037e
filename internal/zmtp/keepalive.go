package zmtp

import (
	"net"
	"time"
)

// defaultKeepAlive detects a vanished host within two minutes.
var defaultKeepAlive = net.KeepAliveConfig{
	Enable:   true,
	Idle:     60 * time.Second,
	Interval: 20 * time.Second,
	Count:    3,
}

// vanishedAfter returns how long data may stay unacknowledged: as long as keep-alive takes on
// an idle connection. For values of k that are left to the system, it uses Linux's defaults.
func vanishedAfter(k net.KeepAliveConfig) time.Duration {
	def(&k.Idle, 7200*time.Second)
	def(&k.Interval, 75*time.Second)
	def(&k.Count, 9)
	return k.Idle + time.Duration(k.Count)*k.Interval
}
