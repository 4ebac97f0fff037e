// Package admission holds what a master remembers and bounds at its request port, so
// that strangers cost it little and nobody is served twice by a recording: the
// [Lane] in which sign-ins wait, [Turns] and [Work]
// for what may be done by a few at once, the [Shares] that each peer has of it, the
// [Addresses] that authenticated requests came from, the [Nonces] of requests that
// change something, and the [Report] of what was turned away.
//
// All of it is in memory and bounded.
package admission
