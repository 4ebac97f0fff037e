// Package swarm plays many minions in one process against any master of Salt's wire,
// so that an operator can size a tree and a test can fill one.
//
// A [Swarm] has N minions of two kinds. A stock one does on the wire what salt-minion
// 3006 and 3007 do: a connection for each request, Salt's time-outs and retries, a
// subscription of libzmq's, no word of presence; it is written here, apart from what
// the product's own minion is made of, so that it shows faults of both. One of ours
// keeps its connection, announces itself and fetches what it missed, and is made of
// package channel as the real one is.
//
// It promises an exact account: each publication that a minion received, whether its
// return was acknowledged, given up, or is still on its way, and each minion that was
// given the same job twice ([Report]). It runs nothing: functions have canned results
// of their right shape, and one it does not know is answered as salt-minion answers
// what it has no module for. Those that a minion has to ask its master for, files,
// pillars and highstates, are asked for as salt-minion does; what comes is held against
// its hash or its signature, counted ([Work]) and let go.
package swarm
