//go:build !slow

package localcluster_test

// Sizes of the tests in `make test`.
const (
	restarted = 1   // how many nodes TestRollingRestart empties and restarts
	swarming  = 200 // minions that return in TestKill_NodeInAThousandReturns
)
