// Package swarm is the command momlab swarm: many minions in one process, against any
// master of Salt's wire, and what came of the jobs they were given. The minions are
// package lab/swarm; here are the options, the jobs that it publishes itself, and
// what is shown.
package swarm
