// Package peer is the connecting side of a ZeroMQ socket as libzmq behaves, for many
// thousands of them in one process.
//
// A [Dialer] makes connections that show a server what a stock peer shows it: the
// greeting in steps, READY with an empty identity from a REQ and with none from a SUB,
// subscriptions as commands, a connection for each request, a new one 100 ms after one
// that broke. It is written apart from package zmtp, which it helps to test, and costs
// little: a subscription that waits holds one small goroutine and no buffer.
//
// It promises that no length a server declares is allocated before it was held against
// [Dialer.MaxFrame], and that each wait ends with the caller's context or Close.
package peer
