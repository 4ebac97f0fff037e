// Package datacache is the minion data cache: the grains and pillar that each minion last sent, for
// target matching.
//
// The cache is in cachedir/minions, in Salt's form (Salt wire reference §13.2), and in memory once
// a target needs it. A damaged file counts as missing; the next pillar request of the minion
// replaces it.
package datacache
