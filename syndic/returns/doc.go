// Package returns carries the returns in a node's outbox to the masters above: a
// [Forwarder] decides when, for all of them, and a [Sender] to each waits for answers and
// for time. What a request holds, what an answer means, and which rows are removed, sent
// again or set aside is decided by a [Handover]. It has no goroutine, timer or connection,
// so the simulator drives it in virtual time: what is simulated is what runs.
//
//	forwarder.go  when returns go; what no parent is owed any more; gather.go, its timer
//	sender.go     the waits of one parent; above.go, figures.go: the parent as a handover sees it
//	owed.go       what the parent is owed by name: returns that are here before it asked
//	handover.go   reads the outbox into a window.go, and gives the next request; look.go checks it
//	send.go       sends a request and reads the answer; refused.go, fault.go: rows refused or left
//	batch.go      the load of a request; digest.go, what of a return goes up
//	sharing.go    which of several parents is given a row
package returns
