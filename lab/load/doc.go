// Package load puts a load on the REST API of a real master with a swarm of minions, and
// checks the results: many clients send requests one after the other, then many streams of
// events are open while returns pass. Each stream must receive each return once, or a notice
// that it was cut off or that events are missing. An event lost without a notice, or
// delivered twice, is a fault.
//
// It also lets a swarm fetch files, pillars and highstates from a real master, ours or Salt's,
// at the same time ([Fetch]): each minion must get each file once, with the right hash, and its
// own pillar.
//
// `make load` and `make fileload` run both at full size by `momlab load` and `momlab fileload`. The
// tests run a small size of each.
package load
