// Package returners stores loads, expectations, returns and events of jobs.
//
// It defines the contract of job stores (Returner), the registry that opens one by its configured
// name, the group commit that lets many returns share one durable transaction (Group), and the
// write-behind that moves outbox rows from the embedded store into a database (Drain).
//
// A return is acknowledged only after it is durable. There is one row per (jid, minion), however
// often it is delivered. An outbox row exists exactly for each new return, since both are written
// in one transaction. Every queue is bounded.
package returners
