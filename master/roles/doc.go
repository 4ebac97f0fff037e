// Package roles records the role of each accepted key, minion or node, and which nodes an operator
// has admitted (docs/design/trust.md).
//
// The first act of a key fixes its role until the key is deleted: a minion stays a minion, whatever
// it claims later. [Book] stores the roles in [File] in pki_dir, one line per key, with the key's
// fingerprint. An admission, which only an operator can give, is a file beside the key
// (internal/admitted) or an entry of syndic_ids, and takes precedence over the role.
package roles
