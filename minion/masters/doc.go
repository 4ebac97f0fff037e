// Package masters decides which of the configured masters a minion serves, as the options
// master and master_type say: all of them at the same time, the first that takes it
// (failover), or the one it has, with its siblings (package failover). A call beside the
// daemon signs in to one of them.
//
// [Masters.Run] is the daemon's, [Masters.Connect] that of a call.
package masters
