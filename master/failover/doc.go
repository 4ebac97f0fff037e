// Package failover is what a node knows of siblings: the nodes right below the same
// master, where minions may go when their own node is gone (docs/homes.md).
//
// [Homes] keeps, over restarts, the signed lists that the masters above tell, what
// the nodes right below tell of themselves, and the guests: peers whose home is
// another node. A [Desk] answers minions and nodes that ask where they may go, and
// tells whether a sibling vouches for a key that is not accepted here; a [Herald] has
// those told who should ask again. A guest that
// has gone stays known for a moment; one of the node's own that is away does until
// it is seen again.
package failover
