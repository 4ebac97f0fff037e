package master

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// fromBeyond reads an event that a Python master below passes on under the name of
// a node of its own. It gives the data as seen from here, and whether the event
// was such a one.
func (m *Master) fromBeyond(node, tag string, data wire.Raw) (wire.Raw, bool) {
	rest, ok := strings.CutPrefix(tag, "syndic/")
	if !ok || m.presence.Role(node) == presence.Syndic {
		return data, false
	}
	id, inner, _ := strings.Cut(rest, "/")
	if id == "" || inner == "" {
		return data, false
	}
	m.beyond.Add(id, node)
	job := inner
	if rest, ok := strings.CutPrefix(inner, "salt/job/"); ok {
		job, _, _ = strings.Cut(rest, "/")
	}
	if !jid.Valid(job) {
		return data, true
	}
	m.ledger.IsNode(job, id)
	if job == inner && speaksOurs(data) {
		return m.expectationBelow(node+"/"+id, job, data), true
	}
	return data, true
}

// speaksOurs tells whether an expectation is that of a node of ours.
func speaksOurs(data wire.Raw) bool {
	has := false
	err := wire.Fields(data, func(key string, _ wire.Raw) error {
		has = has || key == "mom"
		return nil
	})
	return err == nil && has
}

// named is how many minions a target names one by one; 0 if it is a pattern.
func named(tgt any, tgtType string) int {
	switch tgtType {
	case "list":
		ids := listed(tgt)
		slices.Sort(ids)
		return len(slices.Compact(ids))
	case "glob":
		if id, ok := tgt.(string); ok && !strings.ContainsAny(id, "*?[") {
			return 1
		}
	}
	return 0
}
