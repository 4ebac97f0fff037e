// Package orchestrate runs states on the master: state.orchestrate and related runners. Their SLS
// files run functions on minions, runners and wheel functions in an order defined by requisites.
// Package states compiles them, as on a minion. The state functions are salt.state, salt.function,
// salt.runner, salt.wheel, salt.wait_for_event and salt.parallel_runners, and those of test.
//
// The package registers its runners itself. [Env] is its interface to the master.
package orchestrate
