// Package salt is the command salt: publish a job and show what comes back (salt.go), in
// batches (batch.go), or only say whom the target means (preview.go). What is printed and
// the exit code are package report's.
package salt
