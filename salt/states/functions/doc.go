// Package functions holds the state functions of a minion (file.managed, cmd.run, …), their
// registry, and their interface to the minion. The compiler and runner of states is
// salt/states; the execution module state, which calls it, is salt/modules/state.
//
// A state module is one file whose init function calls [Register]. A function checks the
// current state and changes it unless [Call.Test] is true. It returns a result in Salt's
// words. An error or a panic of a function is a failed state, never a crash.
package functions
