// Package state is the execution module state: state.apply, state.highstate, state.show_sls
// and others. It connects the compiler and runner of states (salt/states) to the minion:
// its files and pillar, the options of its master, the renderers, and the state functions
// of package salt/states/functions. Import it, if only for its side effects, to have every
// execution module and state function.
package state
