// Package roll keeps the expectation of one node by minion, so that the cost of an update
// does not depend on the number of minions.
package roll
