// Package publications passes the publications of one parent to the local master.
//
// A [Stream] opens publications in order, fetches missed ones, answers the questions among them,
// and publishes the jobs here under the same jid: several at a time, those of one jid in order. The
// parent always gets a report on each job, from the local master or from this package.
//
//	stream.go                 from the subscription to jobs; missed.go: publications not received
//	questions.go              questions of the parent to its nodes
//	publish.go, republish.go  publishes a parent's job on the local master
//	queued.go                 jobs that may wait until the local master accepts them
//	lanes.go                  order by jid
package publications
