package siblings

import "github.com/momtree/mom/internal/sibling"

// Failover is the part of the local master that lets its minions move to siblings of the node.
type Failover interface {
	// SetSiblings replaces the siblings by a parent's signed list, which includes this node.
	SetSiblings(signed sibling.Signed) error
	// ClearSiblings records that a parent lists no siblings because no operator has admitted this
	// node there. changed means that it listed some before.
	ClearSiblings(parent string) (changed bool)
	// RevokedKeys returns the keys deleted or rejected here. AddRevoked records those of siblings.
	RevokedKeys() []sibling.Gone
	AddRevoked(gone []sibling.Gone) error
	// Home describes the node to its parents.
	Home() sibling.Node
}
