// Package screen holds the full-screen views of a terminal: the tree and the jobs
// in flight. They are pure models of bubbletea: what they know comes by messages,
// what they want is a command, and View draws no more than the window shows. Show runs
// one for a command of the program.
package screen
