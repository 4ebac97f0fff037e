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
	Fun string // several functions are joined by commas
	// Value is what the function returned; see [Return.Trimmed].
	Value   Raw
	Retcode int
	Success bool
	// Out is the outputter that the function asks for; "": none.
	Out string
}

// Trimmed tells whether the value was larger than the master's max_event_size and left
// out of the event: a text stands in its place, and [Client.Returns] has it.
func (r *Return) Trimmed() bool {
	text, err := wire.Str(wire.Raw(r.Value))
	return err == nil && text == "VALUE_TRIMMED"
}

// Expectation is who has to answer, as one node has found when it was given the job. A
// node may tell it in several pieces, and tells of minions that come to it later.
type Expectation struct {
	Node    string   // path of the node; "": the master itself
	Minions []string // its own minions that have to answer
	Asked   []string // ids of the nodes right below it that were given the job
}

// Missing says why a minion did not answer and the path of nodes to it.
type Missing struct{ Reason, Path string }

// Account is how a job ended.
type Account struct {
	JID string
	// Expected is how many minions had to answer: those that Returned with success, that
	// Failed, and that are Missing.
	Expected, Returned, Failed int
	Missing                    map[string]Missing // by minion id
	// Reasons counts all missing minions by reason, also those that Missing does not name
	// (see [Account.Unnamed]); nil from masters of earlier builds.
	Reasons map[string]int
	// Nodes says of the nodes below that were given the job, by path, what came of it:
	// answered, asked (not answered yet), silent, unreachable, plain (a Python syndic), or
	// "refused: " and why.
	Nodes map[string]string
	Took  time.Duration // from publication to the end, on the master's clock
}

// Update is one thing that happened to a job. Exactly one field is set.
type Update struct {
	Return      *Return
	Expectation *Expectation
	// Missing are minions that will not answer, by id. One may return all the same.
	Missing map[string]Missing
	// Unsaved is a return that a returner of its minion did not save.
	Unsaved *Unsaved
	// Complete is the end of the job.
	Complete *Account
}

// Unsaved says which minion's return was not saved, and why.
type Unsaved struct{ ID, Reason string }

// Update gives what the event tells of a job and the id of that job; "" if it tells nothing
// of any, or what counts for the master above alone. The error is that of an event of a job
// that cannot be read.
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

// readUpdate reads an event of a job; false if there is nothing in it.
func readUpdate(jid string, kind jobevent.Kind, tag string, data wire.Raw) (u Update, ok bool, err error) {
	switch kind {
	case jobevent.KindOther:
		x, err := jobevent.DecodeUnsaved(tag, data)
		return Update{Unsaved: &Unsaved{ID: x.ID, Reason: x.Reason}}, err == nil, nil // of the others there are many
	case jobevent.KindReturn:
		ret, err := wire.ParseReturn(data)
		return Update{Return: readReturn(ret)}, err == nil, err
	case jobevent.KindExpectation:
		x, err := jobevent.DecodeExpectation(jid, data)
		return Update{Expectation: &Expectation{Node: x.Node, Minions: x.Minions, Asked: x.Asked}}, err == nil && x.Ours, err
	case jobevent.KindMissing:
		m, err := jobevent.DecodeMissing(jid, data)
		// The word of one node counts for nothing here: what holds is what this master makes of all.
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
		if a.Reason != jobevent.Unmatched { // it was not known whether the job was meant for it, and was not
			out[id] = Missing(a)
		}
	}
	return out
}
