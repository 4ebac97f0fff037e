// Package presence knows which minions and nodes are connected.
//
// A peer of mom subscribes with a random session text as ZeroMQ identity, and then names that
// session in an authenticated request. The two bind an id to one open connection: a peer can
// neither impersonate another nor make it look disconnected.
//
// Stock minions announce nothing. Package findjob asks each of their connections for its id,
// and the minion answers with an authenticated return; then the connection is named
// ([Registry.Named]). A stock minion is reported down with proof only ([Registry.Minion]).
// Without it, it is untracked, like a Python syndic, and the engine falls back to Salt's
// find_job.
package presence
