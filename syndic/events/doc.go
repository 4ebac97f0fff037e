// Package events carries events of a node to one master above.
//
// An [Uplink] has two queues, urgent and news. Urgent is what a waiting command needs: who
// has to answer a job, and who will not; it goes at once, the rest is gathered. What must
// not get lost is told again, job by job, from what the local master knows; the end of a
// job waits in the queue behind its words and is never sent, so that it counts when they
// have been taken. ../DESIGN.md says how all that fits together.
//
//	tags.go, filter.go   what an event is about, and whether it goes up at all
//	words.go             what this node itself says of a job
//	queue.go, uplink.go  what waits, and the parts around it
//	flight.go            which requests are under way; request.go, stamp.go: their form
//	teller.go            tells jobs again; unheard.go looks for what was not told
package events
