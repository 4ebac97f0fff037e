// Package returns sends the returns in a node's outbox to the parents. A [Forwarder] decides when,
// for all parents. A [Sender] per parent waits for answers and timers. A [Handover] decides what a
// request contains, what an answer means, and which rows are removed, sent again or set aside. The
// Handover has no goroutine, timer or connection, so the simulator runs the same code in virtual
// time.
//
//	forwarder.go  when returns go, and rows of parents no longer configured; gather.go, its timer
//	sender.go     the loop of one parent; above.go, figures.go: the parent as a Handover sees it
//	backlog.go    returns stored before the parent requested their job
//	handover.go   reads the outbox into a window.go and builds the next request; look.go checks it
//	send.go       sends a request and reads the answer; refused.go, fault.go: rows not accepted
//	batch.go      the load of a request; digest.go, how much of a return is sent
//	sharing.go    which of several parents gets a row
package returns
