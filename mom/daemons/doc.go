// Package daemons are the commands master, syndic and minion, by Salt's names
// salt-master, salt-syndic and salt-minion. Each puts the daemon together from its own
// package; the options, log, pid file and listener that all share are here.
package daemons
