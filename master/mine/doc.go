// Package mine stores the entries of Salt's mine and answers queries for them.
//
// The entries of a minion are one file, cachedir/minions/ID/mine.p, in Salt's form and limited by
// mine_max_size. A minion can write and delete its own entries only: the key that encrypted the
// request identifies the minion, not the load.
//
//	store.go      the file of each minion
//	entry.go      one entry: its value, and who may see it (allow_tgt)
//	question.go   queries, in the forms that Salt's minions use
//	service.go    access: mine_get of the master, then targets, then allow_tgt
//	tree.go       entries of minions elsewhere in the tree
//	remembered.go the last answers of the rest of the tree
//	commands.go   the commands of port 4506
//
// The entries of minions elsewhere in the tree are not stored. This master asks the nodes below and
// its parent for its minions together. It caches the answer for some seconds, and longer for a node
// that is away. A node receives what any minion below it may see, and applies the access rules of
// each minion.
package mine
