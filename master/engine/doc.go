// Package engine decides what happens to the jobs of a node: which minions must answer, which
// have answered, which will not and why, and when a job is over.
//
// The engine has no sockets or files, and its only clock is [Clock]. Inputs go in as
// method calls; batches to commit and effects come out.
//
// Inputs: a job ([Engine.Publish]), returns of minions ([Engine.Returns]), reports of nodes
// below ([Engine.ReceiveReports]), changes of presence ([Engine.MinionUp], [Engine.NodeDown]
// and so on), answers to find_job ([Engine.Found]) and what the masters above have accepted
// ([Engine.ReportsAccepted]). [Engine.Restore] continues a job after a restart.
//
// Outputs:
//
//   - A [Save] is a batch to commit. Publish and Returns return theirs; [Engine.NextSave]
//     returns the queue of records: expectations, missing minions, ends of jobs. Pass the
//     result of the commit to [Engine.Saved].
//   - An [Effect] is something to do now, in order: send a report or a publication, ask
//     minions, announce the end of a job. [Engine.Ready] returns them.
//
// An effect that depends on a commit comes out of Ready only after Saved reported that commit.
// So the order between disk and network is a rule of this package, not of its callers.
//
// The ledger is the part that keeps one account per job and closes it the moment that
//
//	expected = returned + failed + missing
//
// and no node below still has to send its expectation. Timers decide only about peers that
// cannot report their own end (Python minions and syndics) and about connections that broke
// during a job.
//
// [Engine.Run] is the loop of a master: it carries out effects and commits records. The
// simulator (lab/sim) runs the same engine in virtual time over memory. What is on disk is
// read through [Storage].
//
// DESIGN.md describes states, deadlines and invariants.
package engine
