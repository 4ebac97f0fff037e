// Package pgtest runs a private PostgreSQL for tests: in its own directory, on a socket and
// a free port of 127.0.0.1. It is removed after the test. Since PostgreSQL refuses to run as
// root, root starts it as the user postgres. Without the programs initdb and postgres the
// test fails with a clear message.
package pgtest
