// Package publications is what a master has on its publish port: a [Service] seals
// publications and hands them to the subscribers, and gives those that a peer did not hear
// to it when it is back. Those of open jobs, and of jobs queued for minions that are away,
// are kept for that (package retention).
//
//	send.go    sealed, numbered, and sent to all or to some
//	kept.go    what is kept with a job, and dropped; taken up again after a restart
//	missed.go  what a peer did not hear: fetched by ours, given to stock minions
//	queue.go   for whom a queued job waits; queued.go: told, and taken back, in the whole tree
package publications
