// Package batches runs jobs on a few minions at a time without a waiting command: salt -b N
// --async, of mom or of Salt 3008.
//
// All slices share a job id: the first publication starts the job, each further one extends it
// (package publish). A [Service] publishes the next minions when others have returned or are
// missing, as the account of the job and the job store show for the whole tree.
//
// The state of a batch is a file in the form of Salt 3008, .batch.p in the job's directory;
// batch_active.p lists the running batches. So a batch survives a restart, salt-run batch.status
// can read it, and either kind of master can take over a batch of the other. The field mom is
// ours: who started the batch, with which rules.
//
// A state names all minions of the batch, so it is written once a second only, and before a slice
// that follows a timeout. After a restart, the stored job shows which minions have started, and
// the stored returns which have finished.
package batches
