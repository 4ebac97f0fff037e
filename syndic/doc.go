// Package syndic implements the forwarder of a node. To its parents the node is a minion with its
// own id and key; to the master beside it, it is a publisher.
//
// Down: the local master publishes a parent's publication again under the same jid. Up: the local
// master commits each return together with a row of the outbox. The forwarder sends those rows in
// batches and removes them when a parent has acknowledged them, so a restart on either side neither
// loses nor duplicates a return. Expectations and all other forwarded events travel as events. The
// node's part of the tree travels with its presence reports.
//
// The package guarantees that
// - a return leaves the outbox only when a parent has stored it, or as a rejected row after repeated refusals;
// - what a waiting command needs is sent at once;
// - a parent that is away, slow or hostile does not delay the others;
// - every queue is bounded;
// - Run returns as soon as its context ends, whatever the parents do.
//
// A parent may be a Salt master. The requests are then exactly those of Salt's syndic. DESIGN.md
// describes the design.
//
// This package joins the packages below it:
//
//	syndic.go            the forwarder: options, construction, Run
//	parent.go, pin.go    one parent, and the file that pins its key
//	parents.go           all parents, and which of them gets which rows
//	listen.go, moved.go  forwards the local event bus
//	rehome.go            uses a sibling of the parent while the only parent is gone
//	ask.go               questions of the local master
//	metrics.go, status.go
package syndic
