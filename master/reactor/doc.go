// Package reactor has events start something: the option reactor names SLS files for tags
// of the event bus, and what such a file renders to is done, as Salt's reactor does it:
// a job of minions (local), a runner, a wheel function, or a function of the machine
// itself (caller).
//
// Events are taken one after the other. Runners, wheels and callers go to a bounded number
// of workers with a bounded queue; what finds no place is dropped, counted and told. A
// reaction that leads to itself, by its own jobs and calls or by what a minion says while
// it works on them, is cut when it has done so [maxRounds] times in a row.
//
// The package knows nothing of a master: what reactions do is done by [Doers].
package reactor
