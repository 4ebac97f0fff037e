// Package daemon has the common parts of this program's daemons: Salt's log levels and lines,
// log files that follow logrotate, a pid file that never replaces that of a running instance,
// the limit of open files, systemd notification, and running in the background.
//
// It guarantees that a log line is one line whatever its content, and that the command itself
// reports a failed start in the background.
package daemon
