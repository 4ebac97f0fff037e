// Package treewatch reports changes of the tree below a master, and keeps the master's own
// figures in it.
//
// [Reports] handles what child nodes report about the tree below them: the whole, a difference, or
// a large one in pieces.
//
// A [Watch] reads the figures ([Vitals]) periodically, and after each change of the tree looks for
// moved nodes and new problems. The lowest node that sees one fires an event, which travels up
// with a path that grows on the way ([FromBelow]). [Gossip] compares what gossip says about
// other nodes with the tree.
package treewatch
