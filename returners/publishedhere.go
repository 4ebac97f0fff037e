package returners

import "slices"

// PublishedHere reports whether this master was asked to publish a job. The proof is a
// stored load together with an expectation of this node that was not adopted. The load
// alone is not a proof, since it also arrives with returns from below, and neither is an
// adopted expectation.
//
// loaded reports whether the load is stored; xs are its expectations, of any node.
// Expectations of older versions have no state; with the load they count as published, so
// that nothing runs twice.
func PublishedHere(loaded bool, xs ...Expectation) bool {
	return loaded && slices.ContainsFunc(xs, func(x Expectation) bool {
		return x.Node == "" && x.State != StateAdopted
	})
}
