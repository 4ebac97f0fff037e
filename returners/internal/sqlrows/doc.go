// Package sqlrows is what the returners for MySQL and PostgreSQL have in common: how records of jobs become rows of
// Salt's tables and are read back, in which batches rows are written, and what is repeated when other writers hold them.
// The statements are each returner's own.
package sqlrows
