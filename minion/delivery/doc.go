// Package delivery brings the returns of a minion to its masters.
//
// [Encoder] gives a result the form that masters read. An [Outbox] keeps what one
// master has not acknowledged: a return is on disk before it is sent, and stays
// there until a master has it, through restarts of either side. A [Sender] gives
// it to the master, oldest first, and ends the job of one that the master cannot
// take by an error in its place. Of several senders of one outbox the last
// delivers alone. [Returners] hand a return to what else the job names, and a
// [Cache] keeps it on the minion.
package delivery
