// Package admitted keeps what an operator has decided about nodes: which accepted
// key may be a home for others' minions and vouch for them (docs/design/trust.md).
//
// An admission is a file of the id's name in the folder [Dir] of the master's
// pki_dir, beside the key. It holds the fingerprint of the key that it is given to:
// another key under the same id is not admitted. Salt's programs pass over the folder.
// `mom node admit` and [Admit] write it, [Withdraw] takes it back, and a master removes
// it with the key. Nothing that a peer says of itself ever writes one.
package admitted
