// Package sqlread visits the rows of a query, for the returners that keep theirs in
// a database of SQL.
package sqlread
