// Package shlex parts a command line into words as Python's shlex does, for options and
// functions of Salt that take commands and run them without a shell.
package shlex
