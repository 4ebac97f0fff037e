package jobevent

import "strings"

// NodeState is what a master knows of a node below that was handed a job.
type NodeState string

// The states of a node, but for those of [Refused].
const (
	// NodeAsked: the publication went there, its expectation is still due.
	NodeAsked NodeState = "asked"
	// NodeAnswered: its expectation is known (it may be empty).
	NodeAnswered NodeState = "answered"
	// NodeSilent: it did not send its expectation in time.
	NodeSilent NodeState = "silent"
	// NodeUnreachable: it is not connected.
	NodeUnreachable NodeState = "unreachable"
	// NodePlain: a Python syndic, which cannot say that it matched nothing.
	NodePlain NodeState = "plain"
)

const (
	refusedPrefix = "refused: "
	maxState      = 300 // characters of a state that a node below tells
)

// Refused is the state of a node that does not take the job.
func Refused(why string) NodeState { return refusedPrefix + NodeState(why) }

// Refused gives the reason of a node that refused the job.
func (s NodeState) Refused() (reason string, ok bool) {
	return strings.CutPrefix(string(s), refusedPrefix)
}

// Failed tells whether nothing is known of who is behind the node, and nothing will be.
func (s NodeState) Failed() bool {
	_, refused := s.Refused()
	return refused || s == NodeSilent || s == NodeUnreachable
}

func (s NodeState) cut() NodeState {
	if len(s) <= maxState {
		return s
	}
	r := []rune(s)
	return NodeState(r[:min(len(r), maxState)])
}
