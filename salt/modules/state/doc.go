// Package state is the execution module state: state.apply, state.highstate,
// state.show_sls and their like. It gives the compiler and runner of states
// (salt/states) what a minion has: its files and pillar, the options of its master,
// the renderers, and the state functions of package salt/states/functions.
package state
