// Package modules holds the execution modules of a minion: the functions a job may name
// (test.ping, cmd.run, grains.items) and their registry. It binds arguments to functions
// and runs them.
//
// A module is one file. Its init function calls [Register] with the functions, their
// arguments and documentation. [Execute] always returns: unknown functions, wrong
// arguments, errors and panics become Salt's messages, and never crash the minion. A
// cancelled context ends what the function started, including child processes.
package modules
