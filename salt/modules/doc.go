// Package modules holds the execution modules of a minion: the functions a
// job may name (test.ping, cmd.run, grains.items), the registry they enter by
// themselves, and the one place where a function is bound to its arguments and
// run.
//
// A module is one file whose init calls [Register] with its functions, their
// argument names and their documentation; nothing else has to know of it. The
// package promises that [Execute] always returns: unknown functions, wrong
// arguments, errors and panics of a function become the texts Salt users know,
// never a crash of the minion, and a cancelled context ends what the function
// started, child processes included.
package modules
