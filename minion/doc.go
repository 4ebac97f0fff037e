// Package minion implements the minion daemon. It combines the packages that do the work:
// masters selects the masters to serve, session connects to them, jobs runs their jobs,
// delivery sends the returns, failover moves to a sibling of the master, and modules has the
// execution modules.
//
// It guarantees that a job it started is answered exactly once from the master's point of view:
// a jid is run once, and its return is on disk before it is sent and stays there until a master
// has acknowledged it, through restarts of either side. Every queue is bounded, and a failing
// function cannot end the daemon.
package minion
