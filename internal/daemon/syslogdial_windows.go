package daemon

import "errors"

// dialSyslog returns an error: Go has no syslog client for Windows.
func dialSyslog(string, string, facility, string) (sink, error) {
	return nil, errors.New("syslog is not supported on Windows; let log_file be a file")
}
