// Package tree is the command mom tree: the tree from the master of this machine down,
// drawn once, kept on the screen (watch.go), or what is wrong with it (problems.go).
package tree
