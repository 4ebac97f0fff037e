// Package datacache is the minion data cache: what each minion last told of its
// grains and pillar, for targets that ask for them.
//
// It is kept in cachedir/minions, in Salt's form (Salt wire reference §13.2), and
// in memory once a target asks. What is not known is not known: a torn file counts
// as none, and the minion's next request for its pillar replaces it.
package datacache
