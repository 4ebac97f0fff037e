// Package tops returns the states that a minion gets in addition to the top file, from the sources
// in the option master_tops: ext_nodes, an external node classifier. That is a command that
// receives the id of the minion and prints classes, which are names of states.
//
// The id is the one proved by the minion's key. The request's other contents are ignored.
package tops
