// Package rows makes rows of the job store out of the returns that minions and nodes
// send, and the errors that stand in the place of those that no master can take. The
// master and the simulator (lab/sim) read returns by it.
package rows
