// Package findjob asks minions whether a job still runs, as Salt does: for those
// that cannot tell by themselves that they are there. The ledger says whom to ask
// about what; a [Gatherer] puts questions about one job that come shortly after
// each other into one publication, and [Probes] know which returns are answers to
// them: those are no jobs of a user.
package findjob
