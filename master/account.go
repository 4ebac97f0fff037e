package master

import (
	"fmt"
	"sort"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// onMissing tells the bus, the store and so the master above who will not
// answer a job.
func (m *Master) onMissing(jid string, gone map[string]ledger.Missing, nodes map[string]ledger.NodeState) {
	m.queueAway(jid, gone, nodes)
	m.fire("salt/job/"+jid+"/missing", missingData(jid, gone, nodes))
	m.bookMissing(jid, gone, nodes)
}

// rescuedMinion counts a connected minion that has dropped a job, or its return, without
// saying so: the ledger asks those that are silent for long.
func (m *Master) rescuedMinion(jid, id, reason string, since time.Duration) {
	m.rescues.Found("question to a connected minion", "a minion that had not returned: "+reason, since, "jid", jid, "minion", id)
}

// bookMissing keeps who will not answer, and which nodes cannot be asked.
func (m *Master) bookMissing(jid string, gone map[string]ledger.Missing, nodes map[string]ledger.NodeState) {
	byPath := map[string]map[string]string{}
	for path := range nodes {
		byPath[path] = map[string]string{}
	}
	for id, g := range gone {
		if byPath[g.Path] == nil {
			byPath[g.Path] = map[string]string{}
		}
		byPath[g.Path][id] = g.Reason
	}
	for path, missing := range byPath {
		m.books.Note(returners.Expectation{JID: jid, Node: path, Missing: missing, State: string(nodes[path]), At: m.now()})
	}
}

// onComplete ends a job: the command that waits for it ends with this event.
func (m *Master) onComplete(a ledger.Account) {
	m.fire("salt/job/"+a.JID+"/complete", completeData(a))
	m.stats.Completed.Add(1)
	m.traces.Closed(a.JID, m.now())
	m.bookClosed(a.JID)
}

// missingData is the data of the event salt/job/<jid>/missing.
func missingData(jid string, gone map[string]ledger.Missing, nodes map[string]ledger.NodeState) *wire.Map {
	out, states := wire.NewMap(), wire.NewMap()
	for _, id := range sortedKeys(gone) {
		out.Set(id, wire.NewMap("reason", gone[id].Reason, "path", gone[id].Path))
	}
	for _, path := range sortedKeys(nodes) {
		states.Set(path, string(nodes[path]))
	}
	return wire.NewMap("jid", jid, "missing", out, "nodes", states)
}

// readMissing reads missingData as seen from the master above: all paths begin
// with the node that speaks.
func readMissing(d *wire.Map, node string) (map[string]ledger.Missing, map[string]ledger.NodeState, error) {
	under := func(path string) string {
		if path == "" {
			return node
		}
		return node + "/" + path
	}
	gone := map[string]ledger.Missing{}
	if missing := d.Map("missing"); missing != nil {
		for _, k := range missing.Keys() {
			id, _ := k.(string)
			g := missing.Map(id)
			if g == nil {
				return nil, nil, fmt.Errorf("minion %q is not told by reason and path", id)
			}
			gone[id] = ledger.Missing{Reason: g.String("reason"), Path: under(g.String("path"))}
		}
	}
	nodes := map[string]ledger.NodeState{}
	if states := d.Map("nodes"); states != nil {
		for _, k := range states.Keys() {
			path, _ := k.(string)
			nodes[under(path)] = ledger.NodeState(cut(states.String(path)))
		}
	}
	return gone, nodes, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
