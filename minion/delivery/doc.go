// Package delivery delivers the returns of a minion to its masters.
//
// An [Encoder] encodes results for masters. An [Outbox] stores the returns that one master has
// not acknowledged: a return is on disk before it is sent, and stays there until a master has
// it, through restarts of either side. A [Sender] sends them to the master, oldest first. If
// the master cannot accept a return, the Sender sends an error in its place, which ends the
// job. If an outbox has several senders, only the last delivers. [Returners] pass a return to
// the returners that the job names, and a [Cache] stores it on the minion.
package delivery
