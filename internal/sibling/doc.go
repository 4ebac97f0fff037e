// Package sibling implements what a minion or a node needs to move to another node when its own
// is gone: the list of siblings, which the parent signs, and vouchers, by which a node reports
// to its siblings that it accepted a key.
//
// A list names the nodes directly below one master, their addresses and their public keys. A
// voucher says that a node accepted one public key for one id, until a time. A sibling that
// finds the voucher's issuer in the list of their common parent accepts that key and no other.
// Nothing secret is sent, and no node needs the keys of the minions of all others.
package sibling
