package events

import (
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// NoMatch reports to a parent that no minion here has to answer part p of a job.
func NoMatch(p returners.Part) bus.Event {
	return eventOf(jobevent.Expectation{JID: p.JID, Ours: true, Part: p.N})
}

// Refused reports to a parent that this node could not start a job, and why.
func Refused(jid string, why error) bus.Event {
	return eventOf(jobevent.Missing{JID: jid, Nodes: map[string]jobevent.NodeState{"": jobevent.Refused(why.Error())}})
}

func eventOf(w jobevent.Word) bus.Event {
	tag, data := w.Encode()
	return bus.Event{Tag: tag, Data: data, Value: w, Stamp: time.Now()}
}
