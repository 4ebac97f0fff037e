// Package publications runs a master's publish port. A [Service] encrypts publications and sends
// them to the subscribers. It keeps those of open and queued jobs (package retention) and
// redelivers them to peers that missed them.
//
//	send.go    encrypts, numbers and sends
//	judged.go  jobs with a checked list of minions
//	kept.go    what is stored with a job, and restored after a restart
//	missed.go  redelivery: mom peers fetch, stock minions are sent
//	queue.go   deadlines of queued jobs; queued.go: list and cancel them in the whole tree
package publications
