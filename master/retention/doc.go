// Package retention keeps publications while a peer may still need them.
//
// A publication is stored in the commit of its job, so a crash never leaves one without the
// other. It gets a number when it is sent; a peer that reports the last number it received gets
// what follows. A publication is dropped when its job is over or it is older than the retention.
// One queued for minions that were away is dropped when the last of them has answered, or at
// its deadline. The engine (master/engine) stores and removes publications.
//
// The account of a job decides who gets it, not this package.
package retention
