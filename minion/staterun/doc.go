// Package staterun is the execution module state: state.apply, state.highstate,
// state.show_sls and their like. It gives the compiler and runner of states
// (internal/states) what a minion has: its files and pillar, the options of its master,
// the renderers, and the state functions of package minion/states.
package staterun
