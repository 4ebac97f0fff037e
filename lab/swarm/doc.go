// Package swarm plays many minions in one process against any master that speaks Salt's protocol,
// so that an operator can size a tree and a test can fill one.
//
// A [Swarm] has minions of two kinds. A stock minion does on the wire what salt-minion 3006 and
// 3007 do: a connection for each request, Salt's time-outs and retries, a subscription like
// libzmq's, no presence. It is implemented here, apart from the product's own minion, so that it
// shows faults of both. A minion like mom's keeps its connection, announces itself and fetches
// missed publications; it is built on package channel like the real one.
//
// The account is exact ([Report]): each publication that a minion received, whether its return was
// acknowledged, given up, or is still pending, and each minion that received the same job twice.
// Nothing is run: functions have fixed results of the right shape, and an unknown function is
// answered as salt-minion does without the module. Files, pillars and highstates are fetched from
// the master as salt-minion does; their content is compared with its hash or its signature, counted
// ([Work]) and dropped.
package swarm
