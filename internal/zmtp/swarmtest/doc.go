// Package swarmtest runs thousands of peers of a ZeroMQ socket, for tests and benchmarks of
// servers.
//
// A [Swarm] is a separate process, another run of the test binary, so that both sides have
// enough descriptors and the server's memory can be measured separately. A [Peer] implements
// just enough ZMTP to be cheap; it does not use the package that it helps to test.
package swarmtest
