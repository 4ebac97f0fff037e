package siblings

import "github.com/momtree/mom/internal/sibling"

// Failover is what lets the minions of the master beside move to siblings of the node.
type Failover interface {
	// HearSiblings takes the signed list of a master above, this node included.
	HearSiblings(told sibling.Told) error
	// NoSiblings takes that a master above tells this node of no siblings: no operator has
	// admitted it there as a home for others. changed: it did before.
	NoSiblings(parent string) (changed bool)
	// GoneKeys gives the keys that were deleted or rejected here, HearGone takes those
	// that were at siblings.
	GoneKeys() []sibling.Gone
	HearGone(gone []sibling.Gone) error
	// Home is what the node says of itself to the masters above.
	Home() sibling.Node
}
