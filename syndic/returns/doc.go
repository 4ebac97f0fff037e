// Package returns carries the returns in a node's outbox to the masters above: a
// [Forwarder] decides when, for all of them, and a [Sender] to each does the work. What a
// request holds and what an answer means is decided by package forwarding; who is given
// which rows by who puts the senders together.
//
//	forwarder.go  when returns go; what nobody above is owed any more
//	sender.go     the waits of one parent; above.go, figures.go: the parent as forwarding sees it
//	owed.go       what the parent is owed by name: returns that are here before it asked
package returns
