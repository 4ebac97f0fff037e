package syndic

import "github.com/momtree/mom/syndic/forwarding"

// body is what of a return goes to this master above. One that is not of ours, or
// has not said so yet, knows no digests.
func (l *link) body() forwarding.Body {
	if !l.ours.Load() {
		return forwarding.Full
	}
	return forwarding.BodyOf(l.s.cfg.Local.SyndicForwardReturns)
}
