// Package sim is the command momlab sim: it plays a tree of masters in virtual time with package
// lab/sim, and prints the accounts of its jobs.
package sim
