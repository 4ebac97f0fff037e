// Package sequence keeps what a node tells a master in its order, although requests
// may come late.
//
// A request that was given up, because no answer came in time, may still be
// delivered: the kernel keeps what a connection has not sent, also after its end, and
// a master that was stopped finds what came meanwhile. What it says has been told
// again by then, and maybe changed. So a node numbers its requests, and says with
// each which is the oldest that it still waits for; the master passes over what is
// older.
//
// Numbers go up over restarts of the node: each life begins with the time of day, and
// behind the life before, which it finds in a file ([Begin]). Where that is lost, and
// the clock was set back as well, the master answers which number it is at ([Late]),
// and the node goes on from there.
package sequence
