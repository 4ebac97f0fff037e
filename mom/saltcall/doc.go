// Package saltcall is the command salt-call: a function of a minion, in this process.
package saltcall
