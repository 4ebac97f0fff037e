// Package saltrun is the command salt-run: a function of a master, by its runners.
package saltrun
