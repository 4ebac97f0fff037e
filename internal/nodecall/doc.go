// Package nodecall lets a master ask the nodes right below it a question and
// gather their answers: where a job is, the bodies of returns that were kept
// below. A [Question] goes down as a publication to the named nodes, which no
// minion and no Python syndic takes for theirs; the answer comes back as the
// request `_answer`. A node that has nodes of its own asks them before it
// answers, with less time, so that one answer speaks for a whole subtree.
//
// [News] goes the same way to whoever of ours is below, minions too: what they ask
// for now and then has changed.
//
// The package promises that an asker waits no longer than its context allows,
// that only a node that was asked is heard, once, and that the number of open
// questions is bounded.
package nodecall
