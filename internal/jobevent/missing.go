package jobevent

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Unmatched is the reason of a minion of which its node did not know whether the job was meant
// for it, and which has declined it: who hears it does not expect it any more, and shows
// nothing.
const Unmatched = "Target does not match"

// Absence says why a minion does not answer and which way the job went to it.
type Absence struct {
	// Reason is what a user reads behind "Minion did not return.".
	Reason string
	// Path leads to the node of the minion.
	Path string
}

// Missing tells who will not answer a job.
type Missing struct {
	JID     string
	Minions map[string]Absence   // by id
	Nodes   map[string]NodeState // of which nothing is to be expected any more, by path
	// From is the id of the node right below whose word it is alone. "": it is what the
	// master of the bus makes of all words.
	From string
}

// Job is the jid.
func (m Missing) Job() string { return m.JID }

// Under is the same word as the master above tells it, which has heard it from node.
func (m Missing) Under(node string) Missing {
	out := Missing{JID: m.JID, From: node, Minions: make(map[string]Absence, len(m.Minions)), Nodes: make(map[string]NodeState, len(m.Nodes))}
	for id, a := range m.Minions {
		out.Minions[id] = Absence{Reason: a.Reason, Path: under(node, a.Path)}
	}
	for path, s := range m.Nodes {
		out.Nodes[under(node, path)] = s
	}
	return out
}

// Encode gives the event.
func (m Missing) Encode() (tag string, data wire.Raw) {
	ids := sorted(m.Minions)
	d := wire.NewMap("jid", m.JID, "missing", wire.AnyList(ids), "absent", absences(ids, m.Minions), "nodes", m.Nodes)
	if m.From != "" {
		d.Set("from", m.From)
	}
	return Prefix + m.JID + "/missing", pack(d)
}

// DecodeMissing reads the event of a job. What a node says of its state is cut to
// maxState characters.
func DecodeMissing(jid string, data wire.Raw) (Missing, error) {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return Missing{}, err
	}
	m := Missing{JID: jid, Nodes: texts[NodeState](d.Map("nodes")), From: d.String("from")}
	for path, s := range m.Nodes {
		m.Nodes[path] = s.cut()
	}
	m.Minions, err = absent(d)
	return m, err
}

// absences packs reason and path of the minions with those ids. They may be 100,000, so no
// map is built of them first.
func absences(ids []string, gone map[string]Absence) wire.Raw {
	b := wire.AppendMapHead(make([]byte, 0, 64*len(ids)+8), len(ids))
	for _, id := range ids {
		b = wire.AppendMapHead(wire.AppendStr(b, id), 2)
		b = wire.AppendStr(wire.AppendStr(b, "reason"), gone[id].Reason)
		b = wire.AppendStr(wire.AppendStr(b, "path"), gone[id].Path)
	}
	return b
}

// absent reads who is missing. The field missing is the list of ids, as in Salt's own events;
// absent has the reasons. Masters of earlier builds have the reasons in missing.
func absent(d *wire.Map) (map[string]Absence, error) {
	if d.Has("absent") {
		return readAbsences(d.Map("absent"))
	}
	return readAbsences(d.Map("missing"))
}

func readAbsences(d *wire.Map) (map[string]Absence, error) {
	gone := make(map[string]Absence, d.Len())
	for _, k := range d.Keys() {
		id, _ := k.(string)
		a := d.Map(id)
		if a == nil {
			return nil, fmt.Errorf("minion %q is not told by reason and path", id)
		}
		gone[id] = Absence{Reason: a.String("reason"), Path: a.String("path")}
	}
	return gone, nil
}
