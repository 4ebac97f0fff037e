// Package keyring holds all keys of a running master in one service: its own pair, those of
// its peers with the rules by which they sign in, the sessions handed out, and the key that
// all minions share, which it replaces in time. Files and rules are those of package keys.
package keyring
