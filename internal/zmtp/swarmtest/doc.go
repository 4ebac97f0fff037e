// Package swarmtest plays thousands of peers of a ZeroMQ socket, for tests and
// benchmarks of what serves them.
//
// A [Swarm] is a process of its own, the test binary once more, so that both sides
// have enough descriptors and the server's memory can be told from the peers'. A
// [Peer] speaks just enough ZMTP to cost little itself; it does not use the package
// that it helps to test.
package swarmtest
