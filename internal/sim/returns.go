package sim

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// arrival is a return that waits for the commit.
type arrival struct {
	ret  returners.Return
	from *minion
	j    *job
}

// arrived takes a return of a minion that is here.
func (n *node) arrived(m *minion, j *job) {
	if !m.hears(n) {
		return // sent over a connection that broke; it sends again
	}
	g := m.n.lo + int(m.i)
	full, success := n.w.returnOf(j, g)
	ret := returners.Return{
		JID: j.jid, ID: n.w.ids[g], Fun: j.Fun, Success: success, Full: full, Value: j.value(), At: n.w.clock(),
	}
	if !success {
		ret.Retcode = 1
	}
	n.inbox = append(n.inbox, arrival{ret: ret, from: m, j: j})
	if hit(n.w.o.sabotage.ackEarly) {
		n.acknowledge(m, j)
	}
	n.commitReturns()
}

// commitReturns stores what has come, many returns at once; meanwhile others gather.
func (n *node) commitReturns() {
	if n.busy || len(n.inbox) == 0 {
		return
	}
	n.busy = true
	rows := min(len(n.inbox), n.w.o.Bounds.CommitRows)
	if rows < len(n.inbox) {
		n.w.reach(markCommitFull)
	}
	n.after(n.spend(int64(rows)*int64(n.w.o.Costs.Return)), func() {
		n.busy = false
		batch := n.inbox[:rows]
		n.inbox = n.inbox[rows:]
		if len(n.inbox) == 0 {
			n.inbox = nil
		}
		n.keepOwn(batch)
		n.commitReturns()
	})
}

func (n *node) keepOwn(batch []arrival) {
	rets := make([]returners.Return, len(batch))
	for i := range batch {
		rets[i] = batch[i].ret
	}
	n.point("before returns of minions are stored")
	if err := n.keep(rets, nil); err != nil {
		n.w.trace(n, "does not take %d returns: %v", len(rets), err)
		return // they hear nothing and send again
	}
	for _, a := range batch {
		n.acknowledge(a.from, a.j)
	}
}

// keep has returns stored, and the engine told of it.
func (n *node) keep(rets []returners.Return, loads []returners.Load) error {
	s := n.engine.Returns(rets, loads)
	res, err := n.commit(storeReturns, len(rets), func() (res returners.Result, err error) {
		res.NewReturns, err = n.jobs.SaveReturns(background, s.Batch.Returns, s.Batch.Loads...)
		return res, err
	})
	if err != nil {
		if errors.Is(err, jobstore.ErrOutboxFull) {
			n.w.reach(markReturnFull)
		}
		return err
	}
	for i, fresh := range res.NewReturns {
		if fresh {
			n.stats.rows++
			n.said[n.w.byJID[rets[i].JID].n].rows++
		} else {
			n.stats.repeats++
		}
	}
	n.point("after returns are stored")
	n.engine.Saved(s, res, nil)
	if len(n.ups) > 0 {
		n.grown()
	}
	n.told()
	n.point("before returns are acknowledged")
	return nil
}

// onSyndicReturn takes a batch of a node below: master.onSyndicReturn.
func (n *node) onSyndicReturn(load wire.Raw) (wire.Raw, error) {
	sr, err := wire.ParseSyndicReturn(load)
	if err != nil {
		return nil, err
	}
	var rets []returners.Return
	var loads []returners.Load
	for _, sj := range sr.Loads {
		j := n.w.byJID[sj.JID]
		if len(sj.Load) > 1 {
			loads = append(loads, returners.Load{JID: sj.JID, Raw: sj.Load, At: n.w.clock()})
		}
		for _, mr := range sj.Returns {
			r, err := n.below(sj, mr, j)
			if err != nil {
				return nil, err
			}
			rets = append(rets, r)
		}
	}
	if err := n.keep(rets, loads); err != nil {
		return nil, err
	}
	return wire.Raw{0xc0}, nil
}

// below is the return of a minion behind a node. Its load is built anew, as the
// product does, with the fields that simulated minions send.
func (n *node) below(sj wire.SyndicJob, mr wire.MinionReturn, j *job) (returners.Return, error) {
	full := wire.NewMap("jid", sj.JID, "id", mr.ID)
	err := wire.Fields(mr.Value, func(key string, val wire.Raw) error {
		full.Set(key, val)
		return nil
	})
	if err != nil {
		return returners.Return{}, fmt.Errorf("return of %s: %w", mr.ID, err)
	}
	full.Set("fun", sj.Fun)
	raw, err := wire.Encode(full)
	if err != nil {
		return returners.Return{}, fmt.Errorf("return of %s: %w", mr.ID, err)
	}
	ret, err := wire.ParseReturn(raw)
	if err != nil {
		return returners.Return{}, fmt.Errorf("return of %s: %w", mr.ID, err)
	}
	return returners.Return{
		JID: j.jid, ID: n.w.ids[n.w.index(mr.ID)], Fun: j.Fun, Success: ret.Success, Retcode: ret.Retcode, Value: ret.Value,
		Full: raw, Via: sj.ID, At: n.w.clock(),
	}, nil
}

// value is what every minion answers to a job.
func (j *job) value() wire.Raw {
	if j.Size <= 0 {
		return wire.Raw{0xc3}
	}
	text := make([]byte, j.Size)
	for i := range text {
		text[i] = 'a' + byte((i+j.n)%26)
	}
	raw, err := wire.Encode(string(text))
	if err != nil {
		panic(err) // a text encodes
	}
	return raw
}

// returnOf is the load of a minion's return.
func (w *World) returnOf(j *job, g int) (wire.Raw, bool) {
	success, retcode := true, 0
	if j.fails(g) {
		success, retcode = false, 1
	}
	raw, err := wire.Encode(wire.NewMap("cmd", "_return", "id", w.ids[g], "success", success, "return", j.value(),
		"retcode", retcode, "jid", j.jid, "fun", j.Fun, "fun_args", []any{}))
	if err != nil {
		panic(err) // constants encode
	}
	return raw, success
}
