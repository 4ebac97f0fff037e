// Package books writes down what a restart of a master has to know of its jobs
// beside what the job store is told when they begin: who has to answer and who
// will not, which jobs are open, and of which closed ones the masters above may
// not have heard the end.
//
// A [Writer] stores expectations in the order in which they came, many per commit,
// so that neither the ledger nor a request waits for the disk; while too many wait to be
// written, requests that bring more are held up, and the ledger is not. [Open] and [Untold] are one empty file
// per job.
package books
