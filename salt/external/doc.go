// Package external makes executables of this host into execution modules: a file
// in the folder of modules that speaks a small JSON exchange (docs/guide/external-modules.md)
// is a module with the functions that it describes.
//
// It promises that such a program never holds up or harms the minion: it runs in a
// process group of its own with a deadline, a clean environment and bounded output,
// its words are arguments and never a command line, and what it gets wrong is an
// error with its name. A program that others than the minion's user could have
// written is not run.
package external
