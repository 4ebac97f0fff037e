// Package gossip exchanges signed records between the nodes of a tree outside the tree's own
// connections, with hashicorp/memberlist.
//
// Gossip is a hint, not a source of truth: only a node's parent knows first-hand whether it is
// down, and gossip easily takes a busy node for dead. Its use is the difference: a node that gossip
// sees and its parent does not is behind a partition, which both sides report ([Compare]).
//
// All holders of the keyring may send, so a record counts only with a valid signature: by the key
// that the tree knows for the node, otherwise by the key first seen for it, which is pinned.
//
// Traffic is bounded: 33 bytes with each member, broadcasts that every receiver forwards once, and
// the whole table per push-pull exchange.
package gossip
