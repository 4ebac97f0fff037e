package master

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// fromBeyond reads an event that a Python master below passes on under the name of
// a node of its own; it is fired as it is as well. is: it was such a one.
func (m *Master) fromBeyond(node, tag string, data wire.Raw) (upTo uint64, is bool) {
	rest, ok := strings.CutPrefix(tag, "syndic/")
	if !ok || m.presence.Role(node) == presence.Syndic {
		return 0, false
	}
	id, inner, _ := strings.Cut(rest, "/")
	if id == "" || inner == "" {
		return 0, false
	}
	m.beyond.Add(id, node)
	job, kind, _, ok := jobevent.Parse(inner)
	if !ok || !jid.Valid(job) {
		return 0, true
	}
	m.jobs.IsNode(job, id)
	if kind == jobevent.KindExpectation {
		if x, err := jobevent.DecodeExpectation(job, data); err == nil && x.Ours {
			upTo = m.hearExpectation(node+"/"+id, x)
		}
	}
	return upTo, true
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
