package jobfields

import "github.com/momtree/mom/internal/wire"

// ForStock returns a publication as a stock minion gets it: without the fields that only nodes, syndics and minions of mom
// read. A stock minion passes every field as a keyword __pub_FIELD to functions that accept any, and states that do not
// know such a keyword fail in state.single. Salt's states know fun, arg, tgt, tgt_type, jid, ret, user and pid
// (STATE_RUNTIME_KEYWORDS); metadata and the like are there when the user asked for them.
func ForStock(p wire.Publication) wire.Publication {
	//mutant:stock-fields
	p.Extra, p.AuthList, p.To, p.HasTo, p.Full = nil, nil, 0, false, nil
	return p
}

// ProbeField marks a question of a master to its own minions, which have no use for it.
const ProbeField = "mom_probe"

// IsProbe reports whether a publication is such a question.
func IsProbe(p wire.Publication) bool { return p.Extra.Has(ProbeField) }
