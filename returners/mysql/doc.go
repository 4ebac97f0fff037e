// Package mysql is Salt's mysql returner and master job cache for MariaDB,
// MySQL, Galera, TiDB and Vitess.
//
// It reads Salt's mysql.* options and keeps Salt's three tables (jids,
// salt_returns, salt_events), which it makes itself or brings up to date: wide
// enough columns, four-byte text, one row per (jid, minion). Who was asked and
// who is missing stands in two tables of its own, mom_expected and mom_nodes.
// See SCHEMA.md for the tables and for queries to ask them.
//
// It promises that every write is idempotent (the first return of a (jid, id)
// stays, and so does the first load of a job), so that several masters may write to one
// database and any write may be repeated; that rows go in batches in the order
// of their keys, so that two writers do not lock each other out for long; and
// that every failure has a class (Fault) which says whether the database, the
// account or the row is the reason. Opening does not need the database: the
// tables are looked after at the first use.
package mysql
