// Package sim runs a whole tree of masters in one goroutine of virtual time, for tests
// and for the command momlab sim.
//
// What decides is the product's own code: each node has the engine of its jobs
// (master/engine), a job store with its outbox (master/jobstore over
// returners/memory), the hand-over of returns (syndic/returns) and its view of
// the tree (topology). What carries is made up: clock, network, connections,
// minions, crashes. A [World] plays one schedule, which follows from its options
// and seed alone: the same seed gives the same output, byte for byte.
//
// [World.Check] says whether what must hold in every schedule held: no return
// lost or doubled, every account adds up, nothing owed in the end. docs/design/simulator.md
// tells what is real, what is modelled, and what the simulator cannot find.
package sim
