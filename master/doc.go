// Package master is the master daemon: it publishes jobs on one port and takes
// everything else on the other, as Salt's master does.
//
// Requests come through package server, which holds the rules by which they are let in.
// Each command is entered by the file that serves it: in package commands what needs
// little of the master, in the package that serves it the rest.
//
// The way of a job, in the order in which it goes:
//
//	publish      the package: the command is read, authorised, matched (package ownership),
//	             begun by the engine (package jobs) and stored; local.go: a job of a master
//	             above, which the forwarder of the node brings by a call
//	effects.go   carries out what the engine has to be done, as package driver hands it on:
//	             words, events, publications (package publications: sealed and sent),
//	             questions, ends
//	intake       the package: one minion's answer, and those of minions below a node, stored
//	             before they are acknowledged, then told to the engine; what minions and
//	             nodes say, in events, and of jobs
//	local.go     what else the forwarder of the node asks: a job told again
//	restore      the package: takes open jobs up after a restart
//
// parts.go lists what a [Master] is made of, master.go opens it all in order and closes it,
// run.go runs it.
//
// What stands by itself is in sub-packages that know nothing of a [Master]; the
// files here that bear their names only join them to it. At the door: ports, server, commands,
// admission, access, ownership, keys, keyring, signatures. Who is there: peers, presence, findjob,
// failover, treewatch, datacache, cache3008, resources. Jobs: publish, jobs, jobs/ledger,
// driver, intake, below, restore, jobstore, jobfiles, publications, retention. What minions ask
// for: files, pillar, mine, peercall, tops, and above (what the master above is asked). What starts
// by itself: reactor, orchestrate. For operators: runners, wheels, functions, and runnerenv (what
// they see of the master); rendering makes what renders for all of these. To look at: meters,
// tracer, eventreturn.
package master
