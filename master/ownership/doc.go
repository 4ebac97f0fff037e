// Package ownership decides which peer may speak for a minion, and resolves targets at this
// master. Salt lets every syndic answer for every minion, and every accepted minion act as a
// syndic.
//
// A master asks its [Policy]. The [Judge] decides who may speak for whom, from connections,
// accepted keys, the role of each key (package roles), and
//
//	nodes.go     the ids that are syndics: Salt's marks in syndic_dir
//	claims.go    the child node that each minion is behind, from the reports of those nodes
//	beyond.go    syndics that a Python master below reports as minions
//	meant.go     targets of jobs that name minions by id
//
// A minion connected here speaks for itself; one connected to a node is that node's; for an
// unknown minion any node is believed. Anything else is refused, counted and logged as a
// [Trespass] (refused.go). A peer that acts as a node and may not be one is shown in the tree
// (barred.go). show.go adds accepted ids to the tree. audience.go matches targets, branches.go selects the nodes for a job.
//
// Claims and nodes are kept over restarts; everything in memory only is bounded.
package ownership
