// Package failover moves a minion to a sibling of its master when the master is gone, and back
// when it returns, without configuration (docs/guide/failover.md).
//
// A minion calls [Run] and provides a [Session] for each connection. The master that the minion
// belongs to is its primary: the one in the option master, or a node that an operator has moved
// it to. At a sibling the minion is a guest. A move connects to the new master before it leaves
// the old one, so that no publication is missed.
//
// The known siblings are stored on disk (the file home.p in cachedir), since the minion may
// restart while its primary is gone. A minion that does not call Run has no such file, requests
// no siblings and ignores orders to move.
package failover
