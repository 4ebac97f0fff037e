// Package minion is the minion daemon: it signs in to its masters, hears their
// publications, runs the execution modules of package modules for those that
// target it, and brings every return home.
//
// It promises that a job it started is answered exactly once as the master sees
// it: a jid is run once, its return is on disk before it is sent and stays
// there until a master has acknowledged it, through restarts of either side. No
// queue grows without bound, and no function, however it fails, takes the
// daemon with it.
package minion
