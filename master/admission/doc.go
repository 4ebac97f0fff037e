// Package admission bounds what strangers and peers can cost a master at its request port, and
// prevents replay: the [Lane] queues sign-ins, [Turns] and [Work] limit concurrency, [Shares]
// limit it per peer, [Addresses] holds the sources of authenticated requests, [Nonces] recognize
// repeated requests, and [Report] logs what was refused.
//
// All state is in memory and bounded.
package admission
