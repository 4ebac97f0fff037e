// Package sibling holds what lets a minion or a node move to another node when its
// own is gone: the list of siblings, which the master above signs, and vouchers,
// by which a node tells its siblings that a key is accepted.
//
// A list says which nodes are right below one master, where they serve and what
// their public keys are. A voucher says that a node has accepted one public key
// under one id, until a time. A sibling that knows the voucher's issuer from the
// list of their common master accepts that key, and no other; nothing secret
// travels, and no node has to hold the keys of all others' minions.
package sibling
