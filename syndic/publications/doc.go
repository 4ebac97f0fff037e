// Package publications hands what one master above publishes to the local master.
//
// A [Stream] opens the publications in their order, fetches those that were missed,
// answers the questions among them, and has the jobs published here under the same jid,
// several at a time, those of one jid in order. The parent always hears back: from the
// local master, or, where that says nothing, from here.
//
//	stream.go                from the subscription to the jobs; missed.go: what was not heard
//	questions.go             what the parent asks its nodes
//	publish.go, republish.go a job of the parent as one of the local master
//	queued.go                a job that may wait until that takes it
//	lanes.go                 order by jid
package publications
