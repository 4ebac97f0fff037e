// Package failover is what a master does so that minions, and nodes, may go to siblings when
// their own node is gone (docs/guide/failover.md). Siblings are the nodes right below one master.
//
// A [Service] keeps, over restarts, the signed lists that the masters above tell, what the
// nodes right below tell of themselves, and the guests: peers whose home is another node. It
// answers peers that ask where they may go, and has those told who should ask again; it says
// whether a sibling vouches for a key that is not accepted here, and which keys are gone. A
// guest that has gone stays known for a moment; one of the node's own that is away does until
// it is seen again. What it needs of the master is in [Options]; nothing else of the master
// knows of guests, and one with rehome: False has no Service.
//
//	command.go, answer.go   the question of peers, and its answer; turns.go: each counts once
//	vouch.go                words for keys: given, believed, and by which a guest stays
//	peers.go, guests.go     who is a guest, who has left; registry.go, notes.go: on disk
//	lists.go, news.go       siblings above and below; who is told that they have changed
//	gone.go, revocations.go which keys are gone, here and at siblings
//	drain.go, status.go     what operators set and see
package failover
