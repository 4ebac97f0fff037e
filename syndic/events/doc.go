// Package events sends events of a node to one parent.
//
// An [Uplink] has two queues, urgent and normal. Urgent events are those that a waiting command
// needs: the expectation of a job, and its missing minions. They are sent at once; normal events
// are gathered into batches. Reports on jobs must not be lost, so they are sent again, job by job,
// from what the local master knows. The end of a closed job waits in the queue behind its reports
// and is never sent: when the queue reaches it, the parent has accepted those reports. See
// ../DESIGN.md.
//
//	tags.go, filter.go        what an event is about, and whether it goes up
//	answers.go                reports by this node on jobs unknown to its local master
//	queue.go, pending.go      the queues of one parent; uplink.go joins the parts
//	flight.go                 which requests are in flight; request.go, stamp.go: their form
//	reporter.go, rotation.go  sends reports again; unreported.go looks for missed ones
package events
