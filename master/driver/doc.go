// Package driver carries out what the engine of jobs (package jobs) asks for: its effects
// one after the other, in their order, and the commits of what is said of jobs, many words
// a commit. Requests that brought words wait here until these are on disk, or could not be
// stored; and before they bring more than may wait.
//
// What is stored is never given up because the master ends: [Driver.Run] returns when
// nothing waits, or the disk takes nothing.
package driver
