package engine

import "github.com/momtree/mom/returners"

// Returns returns the batch for returns of minions and the loads sent with them. Acknowledge them
// after the commit.
func (e *Engine) Returns(rets []returners.Return, loads []returners.Load) Save {
	return Save{returns: rets, Batch: returners.Batch{Returns: rets, Loads: loads}}
}

// savedReturns reports and counts the returns stored for the first time.
func (e *Engine) savedReturns(rets []returners.Return, fresh []bool) {
	effects := make([]Effect, 0, len(rets))
	for i := range rets {
		if fresh[i] {
			effects = append(effects, NewReturn{&rets[i]})
		}
	}
	e.enqueueNow(effects...) // before the job may close
	for i := range rets {
		if r := &rets[i]; fresh[i] {
			e.ledger.returned(r.JID, r.ID, r.Via, r.Success && r.Retcode == 0)
		}
	}
}
