// Package channel implements the client side of a master's encrypted request port (4506), for
// minions and syndics.
//
// A [Channel] connects one identity (an id and its RSA pair) to one master. It signs in, pins
// the master's key on first contact and refuses any other key afterwards. It keeps the keys
// that the sign-in returns, encrypts requests and decrypts replies. It speaks request protocol
// 3, and falls back to 2 when the master's accepting reply has no session key.
//
// It guarantees: no reply, pillar or publication reaches the caller before it has passed every
// check that the wire reference lists for it. A master that changed its shared key costs one
// more sign-in and loses no message. Concurrent callers share a sign-in. Every wait on the
// network ends by its own deadline or by the caller's context. Errors say what was refused,
// where, and what to do.
package channel
