// Package states compiles and runs Salt's states. It collects SLS files by the top file or
// by name, joins them with their includes to high data, orders that into chunks, and runs
// the chunks according to their requisites. Of the machine it only checks the paths of
// creates. Files come from a [Source] and are rendered by a [Renderer]; [Functions] run the
// chunks. A minion provides its own functions (salt/states/functions), a master that
// orchestrates those of salt.state, salt.function, salt.runner and salt.wheel.
//
// Results, comments and errors are Salt's, to the letter.
package states
