// Package daemons are the commands master, syndic, minion and api, by Salt's names
// salt-master, salt-syndic, salt-minion and salt-api. Each puts the daemon together from its own
// package; the options, log, pid file and listener that all share are here.
package daemons
