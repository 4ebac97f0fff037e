// Package peercall serves calls of minions to other minions and to the master (Salt's peer
// publishing): publish.publish and publish.runner.
//
// The options peer and peer_run of the minion's master define what a minion may do, by the id that
// its key proves. A job starts as high in the tree as the masters there allow: a node asks the
// master above first, which has its own rules. If those refuse, the node starts the job itself, and
// it reaches only the minions behind the node. The rules travel down with the job.
//
//	request.go   requests of minions
//	start.go     minion_pub: rules, then the master above, then this one
//	results.go   pub_ret: for the requesting minion only
//	wait.go      minion_publish: the older form, in which the master waits
//	runner.go    minion_runner
//	commands.go  the commands of port 4506
//
// The job store records the requesting minion (the field id of the publication), so it survives a
// restart of the master.
package peercall
