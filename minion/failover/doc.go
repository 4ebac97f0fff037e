// Package failover moves a minion to a sibling of its master when that is gone,
// and back when it is there again, without configuration (docs/guide/failover.md).
//
// [Run] is all that a minion calls, and a [Session] all that it has to offer. The
// master that the minion belongs to is its primary: the one that the option
// master names, or a node that an operator has moved it to. At a sibling it is a
// guest. A move begins at the new master before it ends at the old one, so that
// nothing is published past the minion meanwhile.
//
// What is known of siblings is on disk (the file home.p in cachedir), since the
// minion may be started anew while its primary is gone. A minion that does not
// call Run keeps no such file, asks for no siblings, and obeys no order to move.
package failover
