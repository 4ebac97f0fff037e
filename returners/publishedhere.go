package returners

import "slices"

// PublishedHere tells by what is stored of a job whether somebody gave it to this master,
// to publish it: the job store has entered it with the load. The load alone does not say so, since
// it comes with returns from below too, nor does an expectation of this master itself,
// which is there as soon as a minion has come at work on the job.
//
// loaded tells whether the load is stored; xs are the expectations, of any node.
// Those that older versions stored do not tell how they came about: with the
// load they count as given, so that nothing runs twice.
func PublishedHere(loaded bool, xs ...Expectation) bool {
	return loaded && slices.ContainsFunc(xs, func(x Expectation) bool {
		return x.Node == "" && x.State != StateAdopted
	})
}
