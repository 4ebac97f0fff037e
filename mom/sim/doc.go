// Package sim is the command mom sim: it plays a tree of masters in virtual time by
// package internal/sim, and tells what became of its jobs.
package sim
