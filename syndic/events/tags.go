package events

import (
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// Urgent reports whether an event is needed by a waiting command: an expectation, missing minions,
// or the end of a job, which waits behind these and is never sent.
func Urgent(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindExpectation, jobevent.KindMissing, jobevent.KindNew, jobevent.KindClosed:
		return true
	}
	return false
}

// IsReport reports whether an event states the expectation or the missing minions of a job.
func IsReport(tag string) bool {
	kind := kindOf(tag)
	return kind == jobevent.KindExpectation || kind == jobevent.KindMissing
}

// End returns the value of the event that closes a job. Such an event waits in the queue behind the
// reports of its job and is never sent.
func End(e bus.Event) (c jobevent.Closed, ok bool) {
	c, ok = e.Value.(jobevent.Closed)
	return c, ok
}

func isEnd(e bus.Event) bool {
	_, is := End(e)
	return is
}

// JobOf returns the jid in a tag, "" if it has none.
func JobOf(tag string) string {
	id, _, _, _ := jobevent.Parse(tag)
	return id
}

func kindOf(tag string) jobevent.Kind {
	_, kind, _, _ := jobevent.Parse(tag)
	return kind
}
