// Package keyring holds all keys of a running master: its own pair, those of its peers with the
// rules for sign-ins, the sessions, and the shared key of all minions, which it rotates. Package
// keys implements files and rules.
package keyring
