// Package report shows the answers to a job as the command `salt` does: minion
// by minion as they come in or all together, with the minions and nodes that did
// not answer, a summary, and the exit code that follows from it all.
//
// It promises that what is read by programs stays pure: with json and yaml
// nothing but results goes to the results' stream, and of a static report the
// results are one document.
package report
