package engine

import "github.com/momtree/mom/returners"

// Returns takes returns of minions. What it gives has to be committed before they are
// acknowledged; loads are those of jobs that came along.
func (e *Engine) Returns(rets []returners.Return, loads []returners.Load) Save {
	return Save{returns: rets, Batch: returners.Batch{Returns: rets, Loads: loads}}
}

// arrived tells of the returns that were not there before. Repeats change nothing.
func (e *Engine) arrived(rets []returners.Return, fresh []bool) {
	news := make([]Effect, 0, len(rets))
	for i := range rets {
		if fresh[i] {
			news = append(news, Fresh{&rets[i]})
		}
	}
	e.put(news...) // before the account may be complete
	for i := range rets {
		if r := &rets[i]; fresh[i] {
			e.ledger.returned(r.JID, r.ID, r.Via, r.Success && r.Retcode == 0)
		}
	}
}
