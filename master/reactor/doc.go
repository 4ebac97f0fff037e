// Package reactor starts reactions to events, as Salt's reactor does: the option reactor maps event
// tags to SLS files, and a file renders to a job of minions (local), a runner, a wheel function, or
// a function of the machine itself (caller).
//
// Events are handled one at a time. Runners, wheels and callers run in a limited number of workers
// with a limited queue. Calls beyond that are dropped, counted and logged. A reaction that triggers
// itself, through its own jobs and calls or through events of minions that run them, is cut after
// [maxRounds] rounds.
//
// The package does not depend on the master: [Doers] carry out the reactions.
package reactor
