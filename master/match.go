package master

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/ownership"
)

// ledgerMinions are the minions of an audience with what presence says of them;
// if they may have the job, or will be given it, those that are away get the time
// to come back.
func (m *Master) ledgerMinions(ids []string, await func(id string) bool) []ledger.Minion {
	out := make([]ledger.Minion, 0, len(ids))
	for _, id := range ids {
		s := m.presence.Minion(id)
		switch {
		case s.Stock && s.Live == ledger.Up:
			s.Live = ledger.Untracked // it is there, and has to be asked whether it works on the job
		case s.Stock: // it takes longer than ours to come back
			if s.Grace = min(s.Grace, m.stockWait()); !m.kept.Keeps() {
				s.Grace = 0
			}
		case s.Grace > 0 && !await(id):
			s.Grace = 0
		}
		out = append(out, ledger.Minion{ID: id, Live: s.Live, Grace: s.Grace, Doubt: s.Doubt})
	}
	return out
}

// targetOf decodes a target as it travels: text, or a list of texts.
func targetOf(raw wire.Raw) (any, error) {
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	switch v.(type) {
	case string, []any:
		return v, nil
	}
	return nil, fmt.Errorf("target: neither text nor a list of ids")
}

// named is how many minions a target names one by one; 0 if it is a pattern.
func named(tgt any, tgtType string) int {
	switch tgtType {
	case "list":
		ids := ownership.Listed(tgt)
		slices.Sort(ids)
		return len(slices.Compact(ids))
	case "glob":
		if id, ok := tgt.(string); ok && !strings.ContainsAny(id, "*?[") {
			return 1
		}
	}
	return 0
}
