// Package nodecall lets a master ask the nodes directly below it a question and collect their
// answers, such as where a job is, or the bodies of returns that are stored below. A [Question]
// goes down as a publication to the named nodes, which minions and Python syndics ignore. The
// answer is the request `_answer`. A node that has nodes of its own asks them, with less time,
// before it answers, so one answer covers a whole subtree.
//
// [Change] goes the same way to all mom nodes and minions below. It reports a change of something
// that they request periodically.
//
// An asker waits no longer than its context allows. Each node that was asked can answer once,
// and nobody else can. The number of open questions is bounded.
package nodecall
