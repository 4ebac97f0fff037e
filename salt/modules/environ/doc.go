// Package environ is the execution module environ: the environment variables of the minion.
package environ
