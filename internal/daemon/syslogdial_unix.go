//go:build unix

package daemon

import "log/syslog"

func dialSyslog(network, address string, f facility, tag string) (sink, error) {
	return syslog.Dial(network, address, syslog.Priority(f)|syslog.LOG_INFO, tag)
}
