// Package commands holds the commands of port 4506 that need few parts of the master. Each file
// registers its command in init. A handler is a method of a struct with the parts it needs.
//
// Package master registers the other commands.
package commands
