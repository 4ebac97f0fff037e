// Package tops tells which states a minion gets beside those of the top file, by what the
// option master_tops names: ext_nodes, a command that is given the id of the minion (an
// external node classifier) and prints classes, which are names of states.
//
// The id is the one that the minion's key proves. What else a minion says of itself in its
// request is not looked at.
package tops
