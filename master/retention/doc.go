// Package retention keeps what a master has published for as long as somebody
// may still have to be given it.
//
// A publication is stored in the commit of its job, so that neither is there without
// the other, whatever crashes. It is numbered when it goes out; a peer that tells the
// last number it heard is given what came after. It is dropped when its job is over,
// when it is older than the retention, or, if it was queued for minions that were away,
// when the last of them has answered or the deadline has passed. What is stored and
// removed goes through the engine of jobs (master/engine); the folder in which an earlier
// version kept a file for each is taken over once.
//
// Who gets what is not decided here but by the account of the job.
package retention
