// Package functions has what runners and wheels have in common: a function with a name,
// the names of its arguments, its documentation and the rule of who may call it; the
// registry of the functions of one kind; and a call, whose arguments are checked by the
// names before it comes to the function.
package functions
