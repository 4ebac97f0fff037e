// Package ownership answers two questions: who may speak for a minion, and whom a target
// means at this master. Salt lets every syndic answer for every minion, and every accepted
// minion call itself a syndic.
//
// A [Policy] is what a master asks. Who may speak for whom is decided by its [Judge], from
// who is connected, whose keys are accepted, what each was first (package roles), and
//
//	nodes.go     the ids that are syndics: Salt's marks in syndic_dir
//	claims.go    behind which of the nodes right below a minion is, by what those report
//	beyond.go    the syndics that a Python master below counts among its minions
//	meant.go     for whom a job certainly was
//
// A minion that is connected here answers for itself, one that is connected to a node is
// that node's, and of one that nobody knows a node is believed. What peers try beyond that
// is counted and told as a [Trespass] (words.go); who speaks as a node and may not is shown
// in the tree (barred.go). Whom a target means is in audience.go, to which nodes it goes in
// branches.go.
//
// Claims and nodes are kept over restarts; everything in memory alone is bounded.
package ownership
