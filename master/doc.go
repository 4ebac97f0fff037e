// Package master is the master daemon: it publishes jobs on one port and receives everything
// else on the other, as Salt's master does.
//
// Package server receives requests and checks who may send them. The package that serves a
// command registers it; package commands has those that need little of the master.
//
// The path of a job:
//
//	publish      parses and authorizes the command, matches the target (ownership), and
//	             starts the job in the engine; local.go: a job of a master above, passed
//	             in by the forwarder
//	effects.go   carries out the effects of the engine: reports, events, publications
//	             (package publications), find_job, ends
//	intake       receives returns, which are stored before they are acknowledged, and
//	             events, among them the reports of nodes below
//	local.go     other calls of the forwarder: the history of a job
//	publish      Resumer restores open jobs after a restart
//
// parts.go lists the parts of a [Master], master.go opens and closes them, run.go runs them.
// [New] opens each part when all that it needs is open. Where two parts need each other, the data
// that they share is a part of its own, which is opened first (opentree.go).
//
// The sub-packages do not import this one; files here with their names connect them.
// Access: server, commands, admission, access, auth, ownership, roles, keys.
// Presence: peers, presence, failover, treewatch, datacache, resources.
// Jobs: publish, engine, intake, below, jobstore, jobfiles, publications, retention, batches.
// Content: files, pillar, mine, tops, peercall, and above (queries to the master above).
// Automation: reactor, orchestrate. Operators: runners, wheels, functions, runnerenv.
// Observability: telemetry.
package master
