// Package plan says which tree to build for a number of minions and a load: how
// many tiers, nodes and minions per node, and what each node needs.
//
// It reckons with unit costs, what one return, one connection, one row takes,
// which are measured and stand in costs.json with their source. What a plan says
// follows from its needs and these costs alone; nothing is asked of any machine.
// The simulator plays the same shape with the same costs and shows what it hides.
package plan
