package events

import (
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// Urgent events are the ones a waiting command needs: who has to answer, and
// who will not; and the end of these of a job, which stays here.
func Urgent(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindExpectation, jobevent.KindMissing, jobevent.KindNew, jobevent.KindClosed:
		return true
	}
	return false
}

// SpeaksOfJob tells whether an event names those who have to answer a job, or who
// will not.
func SpeaksOfJob(tag string) bool {
	kind := kindOf(tag)
	return kind == jobevent.KindExpectation || kind == jobevent.KindMissing
}

// Complete tells whether an event says that a job is complete at this node.
func Complete(tag string) bool { return kindOf(tag) == jobevent.KindComplete }

// Closed tells whether an event is one that is meant for the forwarder alone.
func Closed(tag string) bool { return kindOf(tag) == jobevent.KindClosed }

// ReadClosed reads such an event of the local master: a node below has no business with
// it.
func ReadClosed(e bus.Event) (c jobevent.Closed, ok bool) {
	if e.Origin != "" || !Closed(e.Tag) {
		return c, false
	}
	c, err := jobevent.DecodeClosed(JobOf(e.Tag), e.Data)
	return c, err == nil
}

// JobOf is the job that an event speaks of.
func JobOf(tag string) string {
	id, _, _, _ := jobevent.Parse(tag)
	return id
}

func kindOf(tag string) jobevent.Kind {
	_, kind, _, _ := jobevent.Parse(tag)
	return kind
}
