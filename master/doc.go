// Package master is the master daemon: it publishes jobs on one port and takes
// everything else on the other, as Salt's master does.
//
// The way of a request (request.go): [zmtp.Router] hands it to receive, which reads
// the envelope and sends it down one of three lanes: sign-ins (signin.go: bounded
// CPU, in order), clear commands of local users (clear.go), and encrypted commands
// of minions and syndics, each of which is one handler in a table (commands.go).
//
// The way of a job, in the order in which it goes:
//
//	publish.go   the command: read (job.go), authorised (admit.go), matched (match.go,
//	             branches.go), stored and opened in the ledger
//	emit.go      sealed, signed and published
//	returns.go   one minion's answer; syndicreturn.go: those of minions below a node.
//	             Stored before it is acknowledged, then told to the bus and the ledger
//	events.go    what minions and nodes say of a job (relay.go: who may)
//	account.go   who will not answer; the end of the job
//	closing.go   the end on disk and to the masters above; retell.go tells it again,
//	restore.go   takes open jobs up after a restart
//
// What stands by itself is in sub-packages that know nothing of a [Master]; the
// files here that bear their names only join them to it. At the door: door, access,
// owners, keys. Who is there: presence, homes, treewatch, datacache. Jobs: ledger,
// books, jobstore, jobfiles, retention, findjob, trace. To look at: runners, meters,
// eventreturn.
package master
