// Package topology is the tree of masters as one node knows it: the nodes, who
// sits below whom, and the minions at the leaves with their state.
//
// Each node keeps a [Tree]: itself, its own minions, and the subtrees that the
// nodes right below it report. A node reports its own subtree to its parent
// over the Salt channel soon after it changed, as the map that [Node.Map] writes
// and [FromMap] reads, so the top knows the whole tree. A report replaces all
// that was known of that subtree. Whether the reporting node itself is up is the
// parent's own knowledge, for the connection ends at the parent; what sits
// behind a node that is down keeps its last known form and counts as unknown.
//
// The package promises that a hostile report costs no more than its size: its
// depth is bounded, states and names are taken for nothing but what they are,
// and a drawing never passes control characters on to a terminal. A Tree is
// safe for concurrent use; its Snapshot shares the subtrees, which nobody alters.
package topology
