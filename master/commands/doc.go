// Package commands are those commands of port 4506 that need little of the master, each
// in a file that enters it when the program starts. A handler is a method of a struct
// with just the parts that it works on.
//
// The others are entered by the files of package master that serve them.
package commands
