// Package functions holds the state functions of a minion (file.managed, cmd.run, …): the
// registry they enter by themselves, and what they have of the minion around them. The
// compiler and runner of states is salt/states; the execution module state, which
// calls it, is salt/modules/state.
//
// A state module is one file whose init calls [Register]; nothing else has to know of
// it. A function finds out what is there, and changes it unless [Call.Test] is true;
// what it gives is a result in Salt's words. An error or a panic of a function is
// one failed state, never a crash.
package functions
