// Package galera breaks a Galera cluster on purpose while mom writes jobs to it, and compares
// every row afterwards.
//
// A [Run] is three MariaDB servers with wsrep, each a station of a network of its own as in
// package chaos, and writers. A writer is what a node of a tree is to SQL: an embedded store with
// an outbox, a group commit and a drain into the mysql returner. Each writer lists the servers in
// another order, so that all three are written to. Every job is stored by every writer, and every
// return by two, as a node and its parent do. So writers conflict.
//
// A schedule, drawn from a seed, kills, freezes, cuts and fills the servers in turn. Afterwards
// every row that a writer has committed to its embedded store must be at each of the three
// servers, once and with its value, and all tables of the three must be equal.
package galera
