package client

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// Return is the answer of one minion.
type Return struct {
	JID string
	ID  string // of the minion
	Fun string // several functions separated by commas
	// Value is what the function returned; see [Return.Trimmed].
	Value   Raw
	Retcode int
	Success bool
	// Out is the outputter that the function requests, or "".
	Out string
}

// Trimmed reports whether the value was larger than the master's max_event_size. A text replaces
// it in the event; [Client.Returns] has the value.
func (r *Return) Trimmed() bool {
	text, err := wire.Str(wire.Raw(r.Value))
	return err == nil && text == "VALUE_TRIMMED"
}

// Expectation is the set of minions that must answer, as one node reports it. A node may report
// it in several parts, and reports minions that come to it later.
type Expectation struct {
	Node    string   // path of the node; "" is the master itself
	Minions []string // its own minions that must answer
	Asked   []string // ids of the nodes directly below it that the job was sent to
}

// Missing is why a minion did not answer, and the path of nodes to it.
type Missing struct{ Reason, Path string }

// Account is how a job ended.
type Account struct {
	JID string
	// Expected is the number of minions that had to answer: the sum of Returned (with
	// success), Failed and missing.
	Expected, Returned, Failed int
	Missing                    map[string]Missing // by minion id
	// Reasons counts all missing minions by reason, including those not named in Missing (see
	// [Account.Unnamed]); nil from masters of earlier builds.
	Reasons map[string]int
	// Nodes is the result of each node that the job was sent to, by path: answered, asked (not
	// answered yet), silent, unreachable, plain (a Python syndic), or "refused: " and the
	// reason.
	Nodes map[string]string
	// Judged means that the client decided that the job is complete, because the master does not
	// report it. The missing minions neither returned nor said that they run the job.
	Judged bool
	Took   time.Duration // from publication to the end, on the master's clock or, with Judged, the client's
}

// Update is an event of a job. Exactly one field is set.
type Update struct {
	Return      *Return
	Expectation *Expectation
	// Missing are minions that will not answer, by id. A late return is still possible.
	Missing map[string]Missing
	// Unsaved is a return that a returner on its minion failed to save.
	Unsaved *Unsaved
	// Complete is the end of the job.
	Complete *Account
}

// Unsaved is a return that was not saved, and why.
type Unsaved struct{ ID, Reason string }

// Update parses the event as an update of a job and returns the id of the job; "" if the event is
// not about a job or concerns only the parent master. It returns an error for an unreadable
// event of a job.
func (e Event) Update() (jid string, u Update, err error) {
	jid, kind, _, ok := jobevent.Parse(e.Tag)
	if !ok {
		return "", Update{}, nil
	}
	u, ok, err = readUpdate(jid, kind, e.Tag, wire.Raw(e.Data))
	switch {
	case err != nil:
		return jid, Update{}, fmt.Errorf("event %s: %w", e.Tag, err)
	case !ok:
		return "", Update{}, nil
	}
	return jid, u, nil
}

// readUpdate parses an event of a job; it returns false if the event has no update.
func readUpdate(jid string, kind jobevent.Kind, tag string, data wire.Raw) (u Update, ok bool, err error) {
	switch kind {
	case jobevent.KindOther:
		x, err := jobevent.DecodeUnsaved(tag, data)
		return Update{Unsaved: &Unsaved{ID: x.ID, Reason: x.Reason}}, err == nil, nil // an unreadable one is ignored
	case jobevent.KindReturn:
		ret, err := wire.ParseReturn(data)
		return Update{Return: readReturn(ret)}, err == nil, err
	case jobevent.KindExpectation:
		x, err := jobevent.DecodeExpectation(jid, data)
		return Update{Expectation: &Expectation{Node: x.Node, Minions: x.Minions, Asked: x.Asked}}, err == nil && x.Ours, err
	case jobevent.KindMissing:
		m, err := jobevent.DecodeMissing(jid, data)
		// Reports of a single node are ignored: the master's own summary counts.
		return Update{Missing: readMissing(m.Minions)}, err == nil && m.From == "" && len(m.Minions) > 0, err
	case jobevent.KindComplete:
		c, err := jobevent.DecodeComplete(jid, data)
		return Update{Complete: readAccount(c)}, err == nil, err
	}
	return Update{}, false, nil
}

func readReturn(ret wire.Return) *Return {
	return &Return{
		JID: ret.JID, ID: ret.ID, Fun: ret.FunName(), Value: Raw(ret.Value), Retcode: ret.Retcode, Out: ret.Out,
		Success: ret.Success || (!ret.HasSuccess && ret.Retcode == 0),
	}
}

func readAccount(c jobevent.Complete) *Account {
	a := &Account{
		JID: c.JID, Expected: c.Expected, Returned: c.Returned, Failed: c.Failed, Took: c.Took,
		Missing: readMissing(c.Missing), Reasons: c.Reasons, Nodes: make(map[string]string, len(c.Nodes)),
	}
	for path, state := range c.Nodes {
		a.Nodes[path] = string(state)
	}
	return a
}

func readMissing(gone map[string]jobevent.Absence) map[string]Missing {
	out := make(map[string]Missing, len(gone))
	for id, a := range gone {
		if a.Reason != jobevent.Unmatched { // the minion turned out not to match
			out[id] = Missing(a)
		}
	}
	return out
}
