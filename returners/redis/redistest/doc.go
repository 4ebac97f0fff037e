// Package redistest runs a private Redis for tests: in its own directory, as the current
// user, on a socket, and for a cluster on free ports of 127.0.0.1. It is removed after the
// test. Without the program redis-server the test fails with a clear message.
package redistest
