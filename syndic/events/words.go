package events

import (
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// Nobody tells a parent that nobody here has to answer a job.
func Nobody(jid string) bus.Event {
	return eventOf(jobevent.Expectation{JID: jid, Ours: true})
}

// Refused tells a parent that this node could not start a job, and why.
func Refused(jid string, why error) bus.Event {
	return eventOf(jobevent.Missing{JID: jid, Nodes: map[string]jobevent.NodeState{"": jobevent.Refused(why.Error())}})
}

func eventOf(w jobevent.Word) bus.Event {
	tag, data := w.Encode()
	return bus.Event{Tag: tag, Data: data, Stamp: time.Now()}
}
