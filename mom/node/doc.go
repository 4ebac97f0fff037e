// Package node is the command mom node: it moves minions away from a node that is to
// be stopped (drain.go), or from full nodes to others (rebalance.go), at a stated rate.
package node
