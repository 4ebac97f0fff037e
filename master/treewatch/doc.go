// Package treewatch tells what happens to the tree below a master, and keeps the
// master's own figures in it.
//
// [Reports] takes what the nodes right below report of the tree below them: the whole,
// what has changed, or a large one in pieces.
//
// A [Watch] reads the figures ([Vitals]) now and then, and after each change of
// the tree looks which nodes have moved and which problems are new; each is told
// as an event by the lowest node that sees it, and passed on upward with a path
// that grows on the way ([FromBelow]). [Hearsay] is what the master hears of other
// nodes beside the tree, by gossip, and where that differs from its own edges.
package treewatch
