// Package client is the public way to give a master work: publish a job, follow
// it to its end, call a runner or the wheel.
//
// A [Client] talks to the master on its own machine as Salt's LocalClient does:
// the clear commands of the return port under the user's key file, and the local
// event bus for what comes back. It promises that a followed job ends at the very
// event with which the master's ledger closes it; no timer decides.
package client
