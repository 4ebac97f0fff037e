// Package external runs executables of this host as execution modules. A file in the folder
// of modules that implements a small JSON protocol (docs/guide/external-modules.md) is a
// module with the functions it describes.
//
// A program cannot block or harm the minion. It runs in its own process group with a
// deadline, a clean environment and bounded output. Its words are arguments, never a
// command line. Its faults are errors with its name. A program that users other than the
// minion's could have written is not run.
package external
