// Package peers tracks the minions and child nodes of a master: it finds out who is connected,
// updates the jobs and the tree, and lists who must answer a job.
//
// A [Service] embeds the registry of connected peers (package presence). Peers of mom announce
// themselves. Each connection of a stock minion is asked once for its id, and stock minions are
// asked whether a job is running. [Options] lists what the service needs of
// the master.
//
//	announce.go     the command by which peers announce themselves
//	connections.go  new and closed connections
//	who.go          identifies the stock minion behind a connection, by the questions of [Who]
//	findjob.go      asks whether a job is running, and handles answers: [Gatherer] merges questions
//	                about one job into one publication, [Probes] recognizes the answers
//	changes.go      reports changes to the jobs and the tree
//	expected.go     who must answer a job, by presence
//	list.go         known peers on disk; events.go: presence events
package peers
