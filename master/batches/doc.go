// Package batches drives jobs that run on a few minions at a time and that no command waits for:
// what salt -b N --async starts, ours or that of Salt 3008.
//
// All slices have one job id: the first publication starts the job, each further one extends it
// (package publish). A [Service] publishes the next minions when a minion has returned or is known
// not to, which the account of the job and the job store tell for the whole tree.
//
// The state of a batch is a file in the form of Salt 3008: .batch.p in the folder of the job, and
// batch_active.p lists the batches that go on. So a batch goes on after a restart, Salt's own
// salt-run batch.status reads it, and each of both masters takes over what the other has left. The
// field mom of the file is ours: who started the batch and by which rules.
//
// A state is written once a second, since each names all minions of the batch, and before a slice is
// published after a minion was given up. Who has begun is
// certain by the stored job, which names the minions of all slices, and who has returned by the stored
// returns: a restart reads both.
package batches
