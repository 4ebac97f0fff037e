// Package returners keeps what jobs leave behind: loads, expectations,
// returns and events.
//
// It holds the contract every job store fulfils (Returner), the registry that
// opens one by the name used in the configuration, the group commit that lets
// many returns share one durable transaction (Group) and the write-behind
// that moves owed rows from the embedded store into a database (Drain).
//
// What it promises: a return is acknowledged only after it is durable; there
// is one row per (jid, minion) however often it is delivered; an outbox row
// exists exactly for the returns that were new, since both are written in one
// transaction; every queue is bounded.
package returners
