// Package matrix joins every pair of daemons that touch, of this project and of installed
// Salts, and asks of each pair the same: ping, commands, grains, pillar, files, states, mine,
// publishing among minions, modules from the master, events, async jobs, batches, restarts. There
// are trees of three releases of Salt, and forwarders of ours beside masters of Salt's.
//
// [Pairings] says which worlds there are, [Rows] what is asked, and the notes why a cell
// cannot be or is not so. `make matrix` plays it by the command in the folder runs, which
// writes testdata/matrix.json; the command in the folder page makes docs/reference/compatibility.md
// of that. A test holds the page to the figures.
//
// Each world lives on loopback addresses of its own and in a temporary folder; worlds are
// played one after the other.
package matrix
