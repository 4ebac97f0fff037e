// Package load puts a load on the REST API of a real master with a swarm of minions, and
// keeps an account of it: many clients that send requests one after the other, and then many
// streams of events while returns pass. Each stream has to have each return once, or to have
// been told that it is cut off or that something is missing; whatever is lost in silence, or
// comes twice, is a fault.
//
// It also has a swarm fetch files, pillars and highstates from a real master, ours or Salt's, all
// at once ([Fetch]): each minion has to have each file once and with its hash, and its own pillar.
//
// `make load` and `make fileload` run them at full size by the commands in the folders runs and
// fetch; a small form of each is an ordinary test.
package load
