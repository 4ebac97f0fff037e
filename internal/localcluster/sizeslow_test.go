//go:build slow

package localcluster_test

// Sizes of the tests in `make slow`.
const (
	restarted = 3    // every node
	swarming  = 1000 // minions
)
