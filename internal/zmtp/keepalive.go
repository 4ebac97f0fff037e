package zmtp

import (
	"net"
	"time"
)

// defaultKeepAlive finds a vanished host within two minutes.
var defaultKeepAlive = net.KeepAliveConfig{
	Enable:   true,
	Idle:     60 * time.Second,
	Interval: 20 * time.Second,
	Count:    3,
}

// vanishedAfter is how long unacknowledged data may be under way: as long as
// keep-alive takes on an idle connection. What k leaves to the system counts as
// Linux has it.
func vanishedAfter(k net.KeepAliveConfig) time.Duration {
	def(&k.Idle, 7200*time.Second)
	def(&k.Interval, 75*time.Second)
	def(&k.Count, 9)
	return k.Idle + time.Duration(k.Count)*k.Interval
}
