package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/owners"
	"github.com/momtree/mom/returners"
)

// arrival is a return on its way into the job store, with the event it makes.
type arrival struct {
	ret   returners.Return
	event wire.Raw
}

var errNotMeant = errors.New("the job was not meant for this minion")

// jidByMaster is the jid of salt-call and schedules, who leave it to the master.
const jidByMaster = "req"

// onReturn serves `_return`: one minion's answer (Salt wire reference §9.1). The
// acknowledgement leaves only after the commit.
func (m *Master) onReturn(ctx context.Context, r *request) (any, error) {
	ret, err := wire.ParseReturn(r.load)
	if err != nil {
		err = fmt.Errorf("return of %q: %w", r.id, err)
		if kept := m.refuseReturn(ctx, r, outline(r), err); errors.Is(kept, errNotStored) {
			return nil, kept
		}
		return nil, err // which Salt answers by an empty text
	}
	if err := m.mayReturn(r, ret); err != nil {
		return nil, err
	}
	if r.version >= 3 { // before that, anybody could say this of anybody
		m.actsAsMinion(r.id)
	}
	if m.meant.Excludes(ret.JID, ret.ID) {
		m.trespassed(owners.Trespass{Kind: owners.OfJob, Path: ret.ID, ID: ret.ID, JID: ret.JID, Err: errNotMeant})
		return nil, nil
	}
	if err := m.fieldsOf(r, ret.Full); err != nil {
		return nil, m.refuseReturn(ctx, r, ret, err)
	}
	if err := m.checkSignature(ret, r.load); err != nil {
		if err := m.refuseReturn(ctx, r, ret, err); errors.Is(err, errNotStored) {
			return nil, err
		}
		return false, nil
	}
	if m.probes.Answer(ret.JID, ret.ID, ret.Value) || m.answeredWho(ret.JID, ret.ID, r.version) {
		return nil, nil
	}
	a := arrival{ret: returnRow(ret, m.now()), event: ret.Full}
	var loads []returners.Load
	if ret.JID == jidByMaster {
		if a, err = m.giveJID(a); err != nil {
			return nil, err
		}
		loads = []returners.Load{{JID: a.ret.JID, Raw: a.event, User: ret.User, At: a.ret.At}}
	}
	return nil, m.keep(ctx, []arrival{a}, loads)
}

// mayReturn tells whether a return names a job, and its sender.
func (m *Master) mayReturn(r *request, ret wire.Return) error {
	switch {
	case ret.JID != jidByMaster && !jid.Valid(ret.JID):
		return fmt.Errorf("return of %q: jid %q is not a job id", r.id, ret.JID)
	case !m.keys.Accepted(ret.ID):
		return fmt.Errorf("return of job %s: id %q has no accepted key", ret.JID, ret.ID)
	case r.version >= 3 && ret.ID != r.id:
		return fmt.Errorf("return of job %s: %s returns as %q", ret.JID, r.id, ret.ID)
	}
	return nil
}

func returnRow(ret wire.Return, at time.Time) returners.Return {
	return returners.Return{
		JID: ret.JID, ID: ret.ID, Fun: ret.FunName(), Success: succeeded(ret), Retcode: ret.Retcode,
		Out: ret.Out, Value: ret.Value, Full: ret.Full, MasterID: ret.MasterID, At: at,
	}
}

// succeeded is what the return itself says; one without the field succeeded if
// its retcode is 0.
func succeeded(ret wire.Return) bool {
	if ret.HasSuccess {
		return ret.Success
	}
	return ret.Retcode == 0
}

// giveJID replaces the jid "req" by a fresh one, and adds what makes the return
// the load of its own job.
func (m *Master) giveJID(a arrival) (arrival, error) {
	v, err := wire.DecodeWithin(a.ret.Full, wire.Limits{MaxNodes: maxValues})
	full, ok := v.(*wire.Map)
	if err == nil && !ok {
		err = errNotAMap
	}
	if err != nil {
		return a, fmt.Errorf("return of %s without jid: %w", a.ret.ID, err)
	}
	a.ret.JID = m.jids.Next()
	full.Set("jid", a.ret.JID)
	if !full.Has("arg") {
		args, _ := full.Get("fun_args")
		full.Set("arg", args)
	}
	full.Set("tgt", a.ret.ID)
	full.Set("tgt_type", "glob")
	if a.ret.Full, err = wire.Encode(full); err != nil {
		return a, fmt.Errorf("return of %s without jid: %w", a.ret.ID, err)
	}
	a.event = a.ret.Full
	return a, nil
}

// keep stores arrivals durably, then tells the bus and the ledger of those that
// are new. Repeats are acknowledged and change nothing.
func (m *Master) keep(ctx context.Context, as []arrival, loads []returners.Load) error {
	rets := make([]returners.Return, len(as))
	for i, a := range as {
		rets[i] = a.ret
	}
	fresh, err := m.store.SaveReturns(ctx, rets, loads...)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotStored, err)
	}
	for i, a := range as {
		if !fresh[i] {
			m.stats.Repeated.Add(1)
			continue
		}
		m.stats.Returns.Add(1)
		m.traces.Returned(a.ret.JID, a.ret.At)
		if size, digest := wire.Digest(a.ret.Full); !digest || size >= 0 {
			m.fireRaw("salt/job/"+a.ret.JID+"/ret/"+a.ret.ID, a.event, a.ret.Via)
		}
		m.ledger.Returned(a.ret.JID, a.ret.ID, a.ret.Via, a.ret.Success && a.ret.Retcode == 0)
		m.queueAnswered(a.ret.JID, a.ret.ID)
	}
	return nil
}
