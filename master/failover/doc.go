// Package failover lets minions and nodes move to siblings when their own node is down
// (docs/guide/failover.md). Siblings are the child nodes of one master.
//
// A [Service] keeps on disk the signed lists of its parents, the addresses of its children,
// and the guests: peers whose home is another node. It answers peers that ask for siblings,
// notifies them when the lists change, checks vouchers for keys that are not accepted here,
// and exchanges revoked keys with other nodes. A guest that has disconnected is forgotten
// after a minute. One of the node's own minions that is away is remembered until it is back.
// [Options] lists what a Service needs of the master. A master with rehome: False has none.
//
//	command.go, answer.go    the request of a peer and its reply; turns.go: replay protection
//	vouch.go                 vouchers and transfers
//	peers.go, guests.go      guests, and peers that have left; registry.go, notes.go: on disk
//	lists.go, notify.go      lists of siblings, and the notification of changes
//	gone.go, revocations.go  revoked keys, here and at siblings
//	drain.go, status.go      what operators set and see
package failover
