// Package command is what the commands of the program have in common: how one is
// run and ends, with which exit code, and for Salt's own commands how their line is
// read and where their results and their log go.
//
// A command is a [cobra.Command] that its package makes. It ends with an error,
// which [Exit] gives an exit code; [Run] prints its text and returns the code.
package command
