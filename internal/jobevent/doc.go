// Package jobevent has the words that masters say of a job: who has to answer it, who
// will not, that it began and how it ended. Inside a process they are the types of this
// package; as events, a tag and a map, they are on the event bus and on the way to the
// masters above (Salt wire reference §11, docs/design/wire-additions.md).
//
//	tag                       word           said by
//	<jid>                     [Expectation]  a node that was given the job: who has to answer
//	salt/job/<jid>/new        [New]          a node that was given the job
//	salt/job/<jid>/missing    [Missing]      a node that has found out who will not answer
//	salt/job/<jid>/complete   [Complete]     a master whose account of the job is closed
//	salt/job/<jid>/closed     [Closed]       a node, to its own forwarder
//	salt/job/<jid>/ret/<id>   -              the return of a minion, which is a [wire.Return]
//	salt/job/<jid>/publish    -              a master of Salt 3008: the whole publication
//
// A path is the ids of nodes joined by "/", as seen from the node that tells: "" is that
// node itself. A master that hears a word from a node below makes it its own with Under.
//
// A decoder takes the job from the tag, where all words have it, and not from the data,
// where a Python master's expectation has none. What it does not know it passes over.
package jobevent
