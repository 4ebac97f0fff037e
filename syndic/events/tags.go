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

// End returns what an event of the local master reports of a closed job. Such an event
// waits in the queues behind the others of its job, and is never sent.
func End(e bus.Event) (c jobevent.Closed, ok bool) {
	c, ok = e.Value.(jobevent.Closed)
	return c, ok
}

func isEnd(e bus.Event) bool {
	_, is := End(e)
	return is
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
