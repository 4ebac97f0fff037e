// Package client is the public way to give a master work and to hear of it: publish a job
// and follow it to its end, read what a former job returned, call a runner or the wheel,
// listen to events. The commands of this program and its REST API stand on it.
//
// A [Client] talks to the master on its own machine as Salt's LocalClient does:
// the clear commands of the return port under the user's key file, and the local
// event bus for what comes back. It promises that a followed job ends at the very
// event with which the master's ledger closes it; no timer decides.
//
// No signature has a type that another module could not name: values are Go's own, and
// [Raw] where they came from elsewhere, which decodes them into Go's types or, where the
// order of keys matters, into those of package value. Each call takes a context, which
// bounds it; a single request is bounded by Options.Timeout as well. What waits for a slow
// reader is bounded, and [Following] and [Subscription] say what happens then. Errors are
// told apart by [errors.Is] and [errors.As].
//
// Most works with a master of Salt's too; what does not says so, with [ErrNotTold]. The
// folder example holds a program of another module.
package client
