// Package postgres is Salt's returners pgjsonb and postgres, for PostgreSQL 10 and newer.
//
// It reads Salt's options (returner.pgjsonb.*, returner.postgres.*) and uses Salt's three
// tables (jids, salt_returns, salt_events). The two returners differ in the columns that
// hold JSON: jsonb for pgjsonb, text for postgres. The tables are created or migrated: wide
// enough columns, one row per (jid, minion). Two tables of its own, mom_expected and
// mom_nodes, hold the expected and the missing minions. SCHEMA.md describes the tables and
// useful queries.
//
// Every write is idempotent: the first return of a (jid, id) stays, and so does the first
// load of a job. So several masters may write to one database, and any write may be
// repeated. Rows are written in batches in the order of their keys, so that two writers do
// not block each other for long. Every failure has a class (Fault), which says whether it
// concerns the database, the account or the row. Open does not need the database: the first
// use migrates the tables.
package postgres
