// Package mysql is Salt's mysql returner and master job cache for MariaDB, MySQL and
// clusters of Galera.
//
// It reads Salt's mysql.* options and uses Salt's three tables (jids, salt_returns,
// salt_events). It creates or migrates them: wide enough columns, utf8mb4 text, one row per
// (jid, minion). Two tables of its own, mom_expected and mom_nodes, hold the expected and
// the missing minions. SCHEMA.md describes the tables and useful queries.
//
// Every write is idempotent: the first return of a (jid, id) stays, and so does the first
// load of a job. So several masters may write to one database, and any write may be
// repeated. Rows are written in batches in the order of their keys, so that two writers do
// not block each other for long. Every failure has a class (Fault), which says whether it
// concerns the database, the account or the row. Open does not need the database: the first
// use migrates the tables.
//
// Options.Host may list several servers. The store uses the first that takes writes and
// changes to the next when one dies, hangs, is read-only or has lost its cluster.
package mysql
