// Package below queries the nodes below a master: where a job is, which jobs are open, what is
// queued, and results that came up as digests. A question is a publication to the nodes directly
// below, an answer a request (internal/nodecall). The package also answers these questions from
// the master above.
package below
