// Package presence knows which minions and nodes are connected right now.
//
// A peer of ours opens its subscription with a random session text as ZeroMQ
// identity and then names that session in an authenticated request. The two
// together bind an id to one living connection: a peer can neither claim to be
// another nor make another look gone. Peers that do not announce themselves
// (Python minions and syndics) are untracked, and the ledger falls back to
// Salt's find_job rounds for them.
package presence
