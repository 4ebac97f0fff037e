// Package sim runs a whole tree of masters in one goroutine of virtual time, for tests
// and for the command momlab sim.
//
// The decisions are the product's own code: each node has the job engine
// (master/engine), a job store with its outbox (master/jobstore over
// returners/memory), the handover of returns (syndic/returns) and its view of
// the tree (topology). The environment is simulated: clock, network, connections,
// minions, crashes. A [World] plays one schedule, which depends on its options
// and seed alone: the same seed gives the same output, byte for byte.
//
// [World.Check] verifies what must hold in every schedule: no return is lost or
// doubled, every account adds up, and nothing is pending at the end.
// docs/design/simulator.md lists what is real, what is modelled, and what the
// simulator cannot find.
package sim
