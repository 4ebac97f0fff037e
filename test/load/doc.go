// Package load puts a load on the REST API of a real master with a swarm of minions, and
// keeps an account of it: many clients that send requests one after the other, and then many
// streams of events while returns pass. Each stream has to have each return once, or to have
// been told that it is cut off or that something is missing; whatever is lost in silence, or
// comes twice, is a fault.
//
// `make load` runs it at full size by the command in the folder runs; a small form is an
// ordinary test.
package load
