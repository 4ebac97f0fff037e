//go:build !slow

package localcluster_test

// Sizes of the tests in `make test`.
const (
	restarted = 1   // number of nodes that TestRollingRestart drains and restarts
	swarming  = 200 // minions that return in TestKill_NodeInAThousandReturns
)
