package jobevent

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Unmatched is the reason of a minion that declined a job because its target did not match,
// where the node could not decide that itself. A receiver stops expecting the minion and shows
// nothing.
const Unmatched = "Target does not match"

// Absence describes why a minion does not answer.
type Absence struct {
	// Reason is the text that users read after "Minion did not return.".
	Reason string
	// Path is the path of the minion's node.
	Path string
}

// Missing reports minions and nodes that will not answer a job.
type Missing struct {
	JID     string
	Minions map[string]Absence   // by id
	Nodes   map[string]NodeState // that will send no more reports, by path
	// From is the id of the node directly below that sent the report. "" means that the bus's
	// own master combined all reports.
	From string
}

// Job returns the jid.
func (m Missing) Job() string { return m.JID }

// Under returns the report as the master above node sends it.
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

// Encode returns the tag and the data of the event.
func (m Missing) Encode() (tag string, data wire.Raw) {
	ids := sorted(m.Minions)
	d := wire.NewMap("jid", m.JID, "missing", wire.AnyList(ids), "absent", absences(ids, m.Minions), "nodes", m.Nodes)
	if m.From != "" {
		d.Set("from", m.From)
	}
	return Prefix + m.JID + "/missing", pack(d)
}

// DecodeMissing decodes the data of the event of the job jid. It cuts the states of nodes to
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

// absences encodes the reason and path of the minions ids. There may be 100,000 of them, so it
// builds no map first.
func absences(ids []string, gone map[string]Absence) wire.Raw {
	b := wire.AppendMapHead(make([]byte, 0, 64*len(ids)+8), len(ids))
	for _, id := range ids {
		b = wire.AppendMapHead(wire.AppendStr(b, id), 2)
		b = wire.AppendStr(wire.AppendStr(b, "reason"), gone[id].Reason)
		b = wire.AppendStr(wire.AppendStr(b, "path"), gone[id].Path)
	}
	return b
}

// absent reads the missing minions. The field missing is the list of ids, as in Salt's own
// events; the field absent has the reasons. Masters of earlier builds have the reasons in
// missing.
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
			return nil, fmt.Errorf("minion %q has no reason and path", id)
		}
		gone[id] = Absence{Reason: a.String("reason"), Path: a.String("path")}
	}
	return gone, nil
}
