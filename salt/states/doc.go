// Package states compiles and runs Salt's states: SLS files are collected by the top
// file or by name, joined with their includes into high data, ordered into chunks, and
// run one after the other by their requisites. Of the machine it looks at the paths of
// creates alone: files come from a [Source], are rendered by a [Renderer], and what a
// chunk names is run by [Functions]. A minion gives it its own (salt/states/functions), a master
// that orchestrates those of salt.state, salt.function, salt.runner and salt.wheel.
//
// Results, comments and errors are Salt's, to the letter.
package states
