// Package minion is the minion daemon. It puts together what does the work: which masters
// are served (package masters), the sessions with them (session), the jobs they publish
// (jobs), the way of returns back to them (delivery), moving to a sibling of the master
// (failover), and the execution modules (modules).
//
// It promises that a job it started is answered exactly once as the master sees
// it: a jid is run once, its return is on disk before it is sent and stays
// there until a master has acknowledged it, through restarts of either side. No
// queue grows without bound, and no function, however it fails, takes the
// daemon with it.
package minion
