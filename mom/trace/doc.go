// Package trace is the command mom trace: it asks the master of this machine where a
// job is and writes what it has found out.
package trace
