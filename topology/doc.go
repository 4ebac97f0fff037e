// Package topology models the tree of masters as one node knows it: the nodes, their parents, and
// the minions at the leaves with their state.
//
// Each node keeps a [Tree]: itself, its own minions, and the subtrees reported by its child nodes.
// It reports its own subtree to its parent over the Salt channel soon after each change, encoded by
// [Node.Map], so the top knows the whole tree. Whether a child is up is known first-hand, because
// its connection ends at the parent. The subtree of a node that is down keeps its last state and
// counts as unknown.
//
// A hostile report costs no more than its size: its depth is bounded, unknown states count as
// unknown, and drawings escape control characters. A Tree is safe for concurrent use. Its snapshots
// share subtrees, which must not be modified.
package topology
