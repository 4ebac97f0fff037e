// Package terminal prevents text from peers from controlling the terminal of the operator who
// reads it.
//
// Minions and nodes choose results, ids, paths, docs and error texts, and a terminal executes
// what it is shown: an escape sequence sets its title, types into it or moves the cursor over
// other text. All output and errors of every command pass through [Guard]. It passes texts,
// line ends, tabs and the colours of this program, and marks everything else that a terminal
// would execute, even if the output is a file that somebody may look at later. [Text] and
// [Line] do the same for a single foreign text before it is combined with others.
package terminal
