// Package client is the public Go API of a Salt master: it publishes jobs and follows them to
// their end, reads the returns of earlier jobs, calls runners and wheel functions, and
// subscribes to events. The commands of this program and its REST API are built on it.
//
// A [Client] talks to the master on its own machine as Salt's LocalClient does: clear commands
// on the return port, authenticated by the user's key file, and events on the local bus. A
// followed job ends with the event that closes the job in the master's ledger. No timer
// decides, except at a Python master, which has no such event: see [Client.Follow].
//
// All exported signatures use types that other modules can name. A value from a minion is a
// [Raw], which decodes into Go's types or, where the order of keys matters, into those of
// package value. Each call takes a context, which bounds it; Options.Timeout also bounds a
// single request. Buffers for slow readers are bounded: see [Following] and [Subscription].
// Errors are distinguished by [errors.Is] and [errors.As].
//
// Most calls work with a Python master too; those that do not return [ErrNotReported]. The
// directory example holds a program in a module of its own.
package client
