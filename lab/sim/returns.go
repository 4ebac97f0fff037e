package sim

import (
	"errors"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/returners"
)

// arrival is a return that waits for the commit.
type arrival struct {
	ret  returners.Return
	from *minion
	j    *job
}

// arrived handles a return of a minion that is here.
func (n *node) arrived(m *minion, j *job) {
	if !m.hears(n) {
		return // sent over a connection that broke; it sends again
	}
	n.guard.fix(m.id(), roles.Minion)
	ret, err := n.read(m, j)
	if err != nil { // "bad load": a stock minion logs it and drops the return
		n.w.trace(n, "refuses the return of %s: %v", m.id(), err)
		m.taken(j.n)
		return
	}
	n.inbox = append(n.inbox, arrival{ret: ret, from: m, j: j})
	if hit(n.w.o.sabotage.ackEarly) {
		n.acknowledge(m, j)
	}
	n.commitReturns()
}

// read makes the row of a minion's return, or of an error in its place: master.onReturn.
func (n *node) read(m *minion, j *job) (returners.Return, error) {
	g := m.n.lo + int(m.i)
	load := n.w.returnOf(j, g)
	deep, err := wire.ScanDoor(load, n.values())
	if err != nil {
		return returners.Return{}, err
	}
	ret, err := wire.ParseReturn(load)
	if err != nil {
		ret = intake.RowOutline(n.w.ids[g], load)
	} else if deep {
		err = wire.FitFields(ret.Full, n.values())
	}
	if err != nil {
		n.w.reach(markOdd)
	} else {
		err = n.checkSignature(g, ret, load)
	}
	if err != nil {
		if ret, err = intake.ErrorInPlace(ret, n.id, err); err != nil {
			return returners.Return{}, err
		}
	}
	row := intake.RowOf(ret, n.wall())
	row.JID, row.ID, row.Fun = j.jid, n.w.ids[g], j.Fun // one copy of each
	return row, nil
}

// commitReturns commits many returns at once; returns that arrive meanwhile wait for the next commit.
func (n *node) commitReturns() {
	if n.busy || len(n.inbox) == 0 {
		return
	}
	n.busy = true
	rows := min(len(n.inbox), n.w.o.Bounds.CommitRows)
	if rows < len(n.inbox) {
		n.w.reach(markCommitFull)
	}
	n.after(n.spend(int64(rows)*int64(n.w.o.Costs.Return))+n.disk.lag(), func() {
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
		n.w.trace(n, "cannot store %d returns: %v", len(rets), err)
		return // the minions get no acknowledgement and send again
	}
	for _, a := range batch {
		n.acknowledge(a.from, a.j)
	}
}

// keep stores returns and reports them to the engine.
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
	before := n.stats.rows
	for i, fresh := range res.NewReturns {
		if fresh {
			n.stats.rows++
			j := n.w.byJID[rets[i].JID]
			n.said[j.n].rows++
			if r := j.at(n); r != nil {
				r.last = time.Duration(n.w.now)
			}
		} else {
			n.stats.repeats++
		}
	}
	n.stored(int(n.stats.rows - before))
	n.point("after returns are stored")
	n.engine.Saved(s, res, nil)
	if len(n.ups) > 0 {
		n.grown()
	}
	n.runEffects()
	n.point("before returns are acknowledged")
	return nil
}

// onSyndicReturn handles a batch of returns from a child: master.onSyndicReturn.
func (n *node) onSyndicReturn(via string, load wire.Raw) (wire.Raw, error) {
	if n.older() && wire.FitsDepth(load, n.values()+syndicWraps) != nil {
		n.w.reach(markBadLoad)
		return nil, channel.ErrRefused
	}
	sr, err := wire.ParseSyndicReturn(load)
	if err != nil {
		return nil, err
	}
	if err := n.mayReturnFor(via); err != nil && !n.w.o.sabotage.anyNode {
		return nil, err
	}
	var verdicts wire.Verdicts
	var rets []returners.Return
	var loads []returners.Load
	for _, sj := range sr.Loads {
		j := n.w.byJID[sj.JID]
		if len(sj.Load) > 1 {
			loads = append(loads, returners.Load{JID: sj.JID, Raw: sj.Load, At: n.wall()})
		}
		for _, mr := range sj.Returns {
			if err := n.settle(via, mr.ID); err != nil {
				n.w.trace(n, "refuses the return of %s from %s: %v", mr.ID, via, err)
				if elsewhere := (ownership.ElsewhereError{}); errors.As(err, &elsewhere) {
					verdicts.Leave(wire.ReturnOf{JID: sj.JID, ID: mr.ID})
				}
				continue
			}
			ret, err := intake.RowBelow(sj, mr, n.values())
			if err != nil {
				n.w.reach(markRefusedRow)
				verdicts.Refuse(wire.ReturnOf{JID: sj.JID, ID: mr.ID}, err.Error())
				if ret, err = intake.ErrorInPlace(wire.Return{ID: mr.ID, JID: sj.JID, Fun: sj.Fun, MasterID: sj.MasterID}, n.id, err); err != nil {
					return nil, err
				}
			}
			row := intake.RowOf(ret, n.wall())
			row.JID, row.ID, row.Fun, row.Via = j.jid, n.w.ids[n.w.index(mr.ID)], j.Fun, sj.ID // one copy of each
			rets = append(rets, row)
		}
	}
	if err := n.keep(rets, loads); err != nil {
		return nil, err
	}
	return wire.Encode(verdicts.Reply())
}

// syndicWraps is how many levels of nesting `_syndic_return` adds to a result.
const syndicWraps = 5

// value returns the result of every normal minion.
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
		panic(err) // a string encodes
	}
	return raw
}

// returnOf returns the load of a minion's return.
func (w *World) returnOf(j *job, g int) wire.Raw {
	success, retcode := true, 0
	if j.fails(g) {
		success, retcode = false, 1
	}
	load := wire.NewMap("cmd", "_return", "id", w.ids[g], "success", success)
	if v := j.result(g); v != nil {
		load.Set("return", v)
	}
	if w.signs(g) == signedWrong {
		load.Set("sig", wrongSignature)
	}
	for _, f := range [][2]any{{"retcode", retcode}, {"jid", j.jid}, {"fun", j.Fun}, {"fun_args", []any{}}} {
		load.Set(f[0], f[1])
	}
	raw, err := wire.Encode(load)
	if err != nil {
		panic(err) // constants encode
	}
	return raw
}
