// Package shlex parts a command line into words as Python's shlex does: what Salt does
// with commands that no shell runs.
package shlex
