// Package functions is the common base of runners and wheels: functions with a name, parameters,
// documentation and an access rule; a registry of the functions of one kind; and calls, whose
// arguments are bound to parameters before the function runs.
package functions
