// Package peers is what a master does about its peers, the minions and nodes right below
// it: it finds out who is there, tells the jobs and the tree of that, and says who has to
// answer a job.
//
// Who is connected is kept by a registry (package presence), which a [Service] has in it
// and which anybody may ask. Peers of ours announce themselves; of stock minions each
// connection is asked once who it is, and they are asked whether a job still runs
// (package findjob). What the service needs of the master is in [Options] and [Parts].
//
//	announce.go     the command by which peers of ours say that they are there
//	connections.go  connections that come and go
//	who.go          who hangs on a connection of a stock minion
//	findjob.go      whether a job still runs; returns that answer questions
//	changes.go      who came and went: told to the jobs and to the tree
//	expected.go     who has to answer a job, as far as connections tell
//	list.go         who has announced itself is known after a restart; events.go: told on the bus
package peers
