// Package returns measures how many returns a master takes and how soon a job of many
// minions ends, and shows the medians beside what they should be:
//
//   - the benchmarks of returns in package master, three times each, whose minions are a
//     process of their own that connects as `momlab swarm` does;
//   - `salt '*' test.ping`, 20 or 10 times in one tree of real processes filled by
//     `momlab swarm`, as package scale plants it.
//
// It says nothing of right or wrong, which the tests of those packages do. The master
// shares the processors with all that loads it.
package returns
