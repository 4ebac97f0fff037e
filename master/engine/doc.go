// Package engine is the engine of a node's jobs: who has to answer, who has answered,
// who will not, what of it is on disk, and what the masters above have been told.
//
// The engine has no socket, goroutine, file or clock of its own. Inputs are its
// methods: a job to be published, returns, words of nodes below, changes of presence,
// what the masters above have taken, time (by [Clock]). What has to be done
// comes out as values:
//
//   - a [Save] is a batch to be committed. What may happen only after the commit
//     comes out after [Engine.Saved] was told of it, never before: so the order
//     between disk and wire is a rule of this package, not of its callers.
//   - [Engine.Ready] gives the [Effect]s, in the order in which they have to be
//     carried out: words to be told, publications to be sent, minions to be asked,
//     jobs that are complete.
//
// The daemon (package master) carries them out over sockets and SQLite, the simulator
// (lab/sim) in virtual time over memory; both run this code and have no second copy of
// its rules. What is read from disk is read through [Storage].
package engine
