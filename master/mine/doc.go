// Package mine keeps what minions give to Salt's mine, and answers who asks for it.
//
// What a minion gave is one file, cachedir/minions/ID/mine.p, in Salt's form, and bounded
// (mine_max_size). A minion writes and deletes its own alone: whose entry it is, the key
// says by which the request was sealed, never the load.
//
//	store.go      the file of each minion
//	entry.go      one entry: its value, and who may see it (allow_tgt)
//	question.go   what a minion asks for, in the forms that Salt's minions use
//	service.go    who may see what: mine_get of the master, then targets, then allow_tgt
//	tree.go       entries of minions elsewhere in the tree
//	remembered.go what the rest of the tree said last
//	commands.go   the commands of port 4506
//
// Of a minion elsewhere in the tree this master keeps nothing: it asks the nodes below and
// the master above, for all of its minions at once, and remembers the answer for some
// seconds, and longer for a node that is away. A node is told what some minion below it may
// see, and tells each of them what that one may see.
package mine
