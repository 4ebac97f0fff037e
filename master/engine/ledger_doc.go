// The ledger keeps one master's account of its jobs: who has to answer,
// who has answered, who cannot, and whether the job is over.
//
// A job is opened when it is published, with what this master knows of its own
// minions and of the nodes below it. Expectations of lower nodes, returns, word
// of minions that will not answer and changes of presence come in as they
// happen; the ledger closes the job at the very moment the account adds up:
//
//	expected = returned + failed + missing
//
// and no node still owes its expectation. Timers decide only about peers that
// cannot tell when they go away (Python minions and syndics) and about leases of
// connections that broke in mid-job. The ledger does no I/O: it tells its owner
// what happened through [Hooks] and is driven by the owner alone.

package engine
