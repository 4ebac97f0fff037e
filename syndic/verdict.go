package syndic

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/handover"
)

// errNotTaken means that the parent answered, but not that all is well.
var errNotTaken = handover.ErrNotTaken

// verdict reads the outcome of a request.
func verdict(v wire.Raw, err error) error { return handover.Verdict(v, err) }
