package syndic

import "github.com/momtree/mom/syndic/handover"

// body is what of a return goes to this master above. One that is not of ours, or
// has not said so yet, knows no digests.
func (l *link) body() handover.Body {
	if !l.ours.Load() {
		return handover.Full
	}
	return handover.BodyOf(l.s.cfg.Local.SyndicForwardReturns)
}
