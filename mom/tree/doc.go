// Package tree holds the commands that show the tree: mom tree (the tree from the master of this
// machine down), mom top (jobs in flight) and mom trace (where a job is).
//
// The full-screen views are pure models of bubbletea ([Tree], [Top]): what they know comes by
// messages, what they want is a command, and View draws no more than the window shows.
package tree
