// Package channel is the secure client side of a master's request port (4506),
// used by minions and syndics alike.
//
// A [Channel] belongs to one identity (an id and its RSA pair) and one master.
// It signs in, pins the master's key on first contact and from then on refuses
// any other, holds the keys that sign-in hands out, and turns loads into
// encrypted requests and replies back into values. It speaks request protocol 3
// and falls back to 2 when the master's accepting reply holds no session key.
//
// It promises: no reply, pillar or publication reaches the caller unless every
// check the wire reference lists for it has passed; a master that changed its
// shared key costs one more sign-in and loses no message; concurrent callers
// share one sign-in; every wait on the network ends by its own deadline or the
// caller's context. Errors name what was refused, where, and what to do.
package channel
