// Package syndic is the forwarder of a node: upward it is a minion with its own
// id and key, downward it publishes at the master beside it.
//
// Down: a publication of a parent is published again by the local master under
// the same jid. Up: the local master commits each return together with a row of
// the outbox; the forwarder sends those rows in batches and removes them when a
// parent has acknowledged, so that a restart on either side loses and doubles
// nothing. What the node expects of a job, and every other event that belongs
// upward, goes as events; the node's part of the tree goes with its presence.
//
// It promises that a return leaves the outbox only when a master above has
// stored it or, after repeated refusals, into the set of rejected rows; that
// what a waiting command needs goes up at once; that one parent that is away,
// slow or hostile costs the others nothing; that every queue is bounded; and
// that Run ends at once when its context does, whatever the parents do.
//
// A parent may be Salt's own master: the requests are then exactly Salt's.
// DESIGN.md says how it is built.
//
// This package puts the parts together, which are the packages below it:
//
//	syndic.go            the forwarder, from its options to its end, and how its parts are joined
//	parent.go, pin.go    one master above, and where its key is pinned
//	parents.go           all of them, and who is given what
//	listen.go, moved.go  the local bus, carried to them
//	rehome.go            over a sibling while the one parent is gone
//	ask.go               questions of the local master
//	metrics.go, status.go
package syndic
