// Package orchestrate runs states on the master: the runners state.orchestrate and its kin,
// whose SLS files have minions, runners and wheel functions do something in an order, by
// requisites. Compiling, ordering and requisites are those of package states, as on a
// minion; the state functions are salt.state, salt.function, salt.runner, salt.wheel,
// salt.wait_for_event and salt.parallel_runners, and those of test.
//
// It enters its runners itself, and asks of the master what [Env] has.
package orchestrate
