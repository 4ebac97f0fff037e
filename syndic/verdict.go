package syndic

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/forwarding"
)

// errNotTaken means that the parent answered, but not that all is well.
var errNotTaken = forwarding.ErrNotTaken

// verdict reads the outcome of a request.
func verdict(v wire.Raw, err error) error { return forwarding.Verdict(v, err) }
