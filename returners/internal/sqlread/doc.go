// Package sqlread iterates over the rows of a query, for the returners with an SQL
// database.
package sqlread
