// Package presence knows which minions and nodes are connected right now.
//
// A peer of ours opens its subscription with a random session text as ZeroMQ
// identity and then names that session in an authenticated request. The two
// together bind an id to one living connection: a peer can neither claim to be
// another nor make another look gone.
//
// Minions of Python's Salt announce nothing. Each of their connections is asked who
// it is (package findjob) and answers with an authenticated id; from then on the id
// hangs there ([Registry.Named]). They are known to be gone with proof alone
// ([Registry.Minion]); as long as it lacks they are untracked, as Python syndics
// always are, and the ledger falls back to Salt's find_job rounds for them.
package presence
