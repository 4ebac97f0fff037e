// Package peercall is what minions have other minions do, and the master (Salt's peer
// publishing): publish.publish and publish.runner of a minion end here.
//
// What a minion may is said by the options peer and peer_run of the master that it is
// connected to, held against its id as its key proves it. A job starts as high in the tree
// as the masters there let this minion: a node asks the master above first, which has
// rules of its own, and starts the job itself where those allow nothing, so that it
// reaches the minions behind the node alone. The rules travel down with the job.
//
//	request.go   what a minion asks for
//	start.go     minion_pub: rules, then the master above, then this one
//	results.go   pub_ret: to who asked alone
//	wait.go      minion_publish: the older form, in which the master waits
//	runner.go    minion_runner
//	commands.go  the commands of port 4506
//
// Who asked for a job stands in its record in the job store (the field id of its
// publication), so that a start of the master forgets nothing.
package peercall
