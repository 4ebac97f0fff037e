// Package sequence keeps the reports of a node to a master in order, although requests may
// arrive late.
//
// A request that was given up because no answer arrived in time may still be delivered: the
// kernel keeps unsent data, even after the end of a connection, and a stopped master reads it
// later. Its content has been sent again by then, and may have changed. So a node numbers its
// requests, and adds to each the number of the oldest that it still waits for. The master
// ignores older ones.
//
// Numbers rise over restarts of the node: each run begins with the time of day, above the
// numbers of the previous run, which it reads from a file ([Begin]). If that file is lost and
// the clock was set back as well, the master returns its current number ([Late]), and the node
// continues from there.
package sequence
