// Package daemon is what every daemon of this program needs around its work:
// Salt's log levels and lines, log files that follow logrotate, a pid file that
// never takes the place of a running instance's, the limit of open files, word to
// systemd, and going into the background.
//
// It promises that a log line is one line whatever is in it, and that a start in
// the background that fails is told by the command that made it.
package daemon
