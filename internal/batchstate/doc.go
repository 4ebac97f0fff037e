// Package batchstate is the state of a job that runs on a few minions at a time, and what follows
// from it: which minions begin when others are done. The master (package master/batches) and a
// waiting command (package client) drive their batches by it, as in Salt 3008.
//
// The state is also what salt-run batch.status and batch.list_active show. A master keeps it in
// .batch.p in the job's directory; a command sends it along in its events
// salt/batch/<jid>/new, progress, complete and halted, and the master writes the file.
package batchstate
