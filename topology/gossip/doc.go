// Package gossip lets the nodes of a tree hear of each other beside the tree, by
// hashicorp/memberlist: who is there, and what each says of itself in a record
// that it signs with its own key.
//
// It is a hint, never the truth: that a node is down is known by the edge to its
// parent alone, and a starved node is easily taken for dead. What it is good for
// is the difference: a node that gossip hears and its parent does not is behind a
// partition, and both sides say so ([Compare]).
//
// Every key of the keyring gives the same right to speak, so a record counts only
// with a good signature, of the key that the tree knows the node by, else of the
// key it was first heard with, which is pinned and marked as such.
//
// What travels is bounded: a digest of 33 bytes with each member, the records by
// broadcasts that every receiver passes on once, and the whole table with each
// push-pull exchange.
package gossip
