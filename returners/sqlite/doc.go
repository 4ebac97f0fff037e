// Package sqlite is the embedded job store: loads, expectations, returns, events and the
// outbox of a node in one SQLite file, without cgo.
//
// Commit is one transaction. When it returns nil, the whole batch is on disk and survives
// the death of the process. With the default Synchronous "full" it also survives a loss of
// power: the write-ahead log is synced once per commit. With "normal", a loss of power may
// lose the last commits, but does not damage the file. When Commit returns an error,
// nothing of the batch was stored. A second return of one (jid, id) changes nothing and
// adds no outbox row. An acknowledgement of outbox rows is not synced. If a loss of power
// undoes it, the rows are delivered twice, and the receiver detects the duplicates. Readers
// use connections of their own and never wait for the writer.
//
// The newest rows of each outbox are kept in memory. A forwarder without a backlog does not
// read the file.
//
// Return loads are kept byte for byte. Clean never removes rows that an outbox refers to.
package sqlite
