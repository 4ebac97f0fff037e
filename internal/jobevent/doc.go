// Package jobevent defines the reports that masters send about a job: who must answer it, who
// will not, that it began and how it ended. Inside a process they are the types of this
// package. On the event bus and on the way to the masters above they are events, each a tag and
// a map (Salt wire reference §11, docs/design/wire-additions.md).
//
//	tag                       type           sent by
//	<jid>                     [Expectation]  a node that received the job: who must answer
//	salt/job/<jid>/new        [New]          a node that received the job
//	salt/job/<jid>/missing    [Missing]      a node that found minions that will not answer
//	salt/job/<jid>/complete   [Complete]     a master that closed its account of the job
//	salt/job/<jid>/closed     [Closed]       a node, to its own forwarder
//	salt/job/<jid>/ret/<id>   -              the return of a minion, which is a [wire.Return]
//	salt/job/<jid>/publish    -              a master of Salt 3008: the whole publication
//
// A path is the ids of nodes joined by "/", relative to the node that sends the report; "" is
// that node itself. A master that receives a report from a node below converts it with Under
// before it sends it on.
//
// Decoders take the jid from the tag, because the data of a Python master's expectation has
// none. They ignore unknown fields.
package jobevent
