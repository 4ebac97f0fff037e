// Package plan sizes a tree for a number of minions and a load: tiers, nodes, minions per node, and
// the resources of each node.
//
// It computes with measured unit costs, such as the cost of a return, a connection or a row, which
// costs.json lists with their sources. A plan depends only on its needs and these costs. The
// simulator runs the same shape with the same costs.
package plan
