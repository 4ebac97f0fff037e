// Package peer implements the connecting side of ZeroMQ sockets with the behaviour of libzmq,
// for many thousands of them in one process.
//
// A [Dialer] makes connections that look to a server like those of a stock peer: the greeting
// in steps, READY with an empty identity from a REQ and with none from a SUB, subscriptions as
// commands, a connection for each request, a new one 100 ms after one that broke. It does not
// use package zmtp, which it helps to test. It needs few resources: an idle subscription holds
// a small goroutine and no buffer.
//
// It allocates no memory for a length that a server declares before it has checked it against
// [Dialer.MaxFrame]. Each wait ends with the caller's context or Close.
package peer
