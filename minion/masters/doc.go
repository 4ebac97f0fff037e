// Package masters decides which of the configured masters a minion serves, according to the
// options master and master_type: all of them at the same time, the first that accepts the
// minion (failover), or the only one and its siblings (package failover). A call beside the
// daemon signs in to one of them.
//
// The daemon uses [Masters.Run], a call [Masters.Connect].
package masters
