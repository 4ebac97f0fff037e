// Package sim is the command momlab sim: it plays a tree of masters in virtual time by
// package lab/sim, and tells what became of its jobs.
package sim
