// Package below asks the nodes right below a master, and through them all others: where a
// job is, which jobs are open, what is queued, and results of which only digests came up.
// A question goes out as a publication to these nodes alone, its answer is a request
// (internal/nodecall). It answers the same questions of the master above.
package below
