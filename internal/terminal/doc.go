// Package terminal keeps what came from a peer from steering the terminal of the
// operator who reads it.
//
// Results, ids, paths, docs and error texts are chosen by minions and nodes, and a
// terminal obeys what it is shown: an escape sequence sets its title, types into it
// or moves the cursor over what stands there. It promises that every command's
// output and errors pass one place, [Guard], which lets texts, line ends, tabs and
// the few colours of this program through and nothing else that a terminal would
// obey, be it a terminal or a file that somebody will look at later. [Text] and
// [Line] do the same for one foreign text before it is put among others.
package terminal
