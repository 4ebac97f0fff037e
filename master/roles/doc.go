// Package roles knows what each accepted key is: a minion, or a node that speaks for
// others, and which of the nodes an operator has admitted as homes (docs/design/trust.md).
//
// A key has one role. Its first act fixes it, and it stands until the key is gone: who
// ever was a minion stays one, whatever it says of itself later. [Book] keeps that in the
// file [File] of pki_dir, one line per key, bound to the key's fingerprint. What only an
// operator can give, the admission, is a file beside the key (internal/admitted) or a
// line of syndic_ids, and outweighs the role.
package roles
