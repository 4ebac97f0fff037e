package jobevent

import "strings"

// NodeState describes what a master knows about a node below that was sent a job.
type NodeState string

// The states of a node. [Refused] makes the others.
const (
	// NodeAsked: the publication was sent, the expectation is pending.
	NodeAsked NodeState = "asked"
	// NodeAnswered: the expectation was received (it may be empty).
	NodeAnswered NodeState = "answered"
	// NodeSilent: the node did not send its expectation in time.
	NodeSilent NodeState = "silent"
	// NodeUnreachable: the node is not connected.
	NodeUnreachable NodeState = "unreachable"
	// NodePlain: the node is a Python syndic, which cannot report that it matched nothing.
	NodePlain NodeState = "plain"
)

const (
	refusedPrefix = "refused: "
	maxState      = 300 // characters of a state from a node below that are kept
)

// Refused returns the state of a node that refused the job.
func Refused(why string) NodeState { return refusedPrefix + NodeState(why) }

// Refused returns the reason why a node refused the job.
func (s NodeState) Refused() (reason string, ok bool) {
	return strings.CutPrefix(string(s), refusedPrefix)
}

// Failed reports whether the minions behind the node are unknown and will stay unknown.
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
