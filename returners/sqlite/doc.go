// Package sqlite is the embedded job store: loads, expectations, returns,
// events and the outbox of a node in one SQLite file, without cgo.
//
// It promises that Commit is one transaction: when it returns nil, everything
// of the batch is on disk and survives the death of the process and, with the
// default Synchronous "full", a loss of power (the write-ahead log is synced
// once per commit; with "normal" the last commits before a loss of power may
// be gone, the file stays sound). When it returns an error, nothing of the
// batch was stored. A second return of one (jid, id) changes nothing and owes
// nothing. An acknowledgement of outbox rows is not synced by itself: lost with the
// power, it has rows delivered twice, which whoever gets them sees. Readers use connections of their own and never wait for the writer.
//
// The newest rows of each outbox are kept in memory: who hands on what was just committed
// reads no file, who is behind does.
//
// Return loads are kept byte for byte. Rows an outbox refers to are never
// cleaned away.
package sqlite
