// Package publish starts jobs: from the command, or a job of a master above, to the
// publication.
//
//	start.go        the command: read (job.go, target.go), authorised, begun by the engine of jobs
//	                and stored; published when that wants it (publication.go)
//	preview.go      whom a job would mean, for who may start it
//	record.go       the same jid is the same job
package publish
