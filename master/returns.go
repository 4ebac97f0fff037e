package master

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/rows"
	"github.com/momtree/mom/master/server"
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

func init() {
	own.Register(server.Command{
		Name: "_return", Who: server.Peer, Whole: true,
		Args: []string{"jid", "return", "fun", "fun_args", "success", "retcode", "out", "user", "master_id", "sig"},
		Doc: `
One minion's answer to a job. It is acknowledged when it is stored.

jid
    The job; req leaves it to the master.
return, fun, fun_args, success, retcode, out
    The result, of what, how it ended, and the outputter that suits it.
user, master_id
    Who asked for the job and which master, as the publication had it.
sig
    The minion's signature of all that, with minion_sign_messages.
`,
	}, func(m *Master) server.Handler { return m.onReturn })
}

// onReturn serves `_return`: one minion's answer (Salt wire reference §9.1). The
// acknowledgement leaves only after the commit.
func (m *Master) onReturn(ctx context.Context, r *server.Request) (any, error) {
	ret, err := wire.ParseReturn(r.Load)
	if err != nil {
		err = fmt.Errorf("return of %q: %w", r.ID, err)
		if kept := m.refuseReturn(ctx, r, rows.Outline(r.ID, r.Load), err); errors.Is(kept, server.ErrNotStored) {
			return nil, kept
		}
		return nil, err // which Salt answers by an empty text
	}
	if err := m.mayReturn(r, ret); err != nil {
		return nil, err
	}
	if r.Version >= 3 { // before that, anybody could say this of anybody
		m.policy.ActsAsMinion(r.ID)
	}
	if m.policy.Excludes(ret.JID, ret.ID) {
		m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfJob, Path: ret.ID, ID: ret.ID, JID: ret.JID, Err: errNotMeant})
		return nil, nil
	}
	if err := m.fieldsOf(r, ret.Full); err != nil {
		return nil, m.refuseReturn(ctx, r, ret, err)
	}
	if err := m.signatures.CheckReturn(ret, r.Load); err != nil {
		if err := m.refuseReturn(ctx, r, ret, err); errors.Is(err, server.ErrNotStored) {
			return nil, err
		}
		return false, nil
	}
	if m.peers.Answered(ret.JID, ret.ID, ret.Value, r.Version) {
		return nil, nil
	}
	a := arrival{ret: rows.Of(ret, m.now()), event: ret.Full}
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
func (m *Master) mayReturn(r *server.Request, ret wire.Return) error {
	switch {
	case ret.JID != jidByMaster && !jid.Valid(ret.JID):
		return fmt.Errorf("return of %q: jid %q is not a job id", r.ID, ret.JID)
	case !m.keys.Accepted(ret.ID):
		return fmt.Errorf("return of job %s: id %q has no accepted key", ret.JID, ret.ID)
	case r.Version >= 3 && ret.ID != r.ID:
		return fmt.Errorf("return of job %s: %s returns as %q", ret.JID, r.ID, ret.ID)
	}
	return nil
}

// giveJID replaces the jid "req" by a fresh one, and adds what makes the return
// the load of its own job.
func (m *Master) giveJID(a arrival) (arrival, error) {
	v, err := wire.DecodeWithin(a.ret.Full, wire.Limits{MaxNodes: server.MaxValues})
	full, ok := v.(*wire.Map)
	if err == nil && !ok {
		err = server.ErrNotAMap
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
	s := m.jobs.Returns(rets, loads)
	fresh, err := m.store.SaveReturns(ctx, s.Batch.Returns, s.Batch.Loads...)
	m.jobs.Saved(s, returners.Result{NewReturns: fresh}, err)
	if err != nil {
		return fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	for _, is := range fresh {
		if !is {
			m.stats.Repeated.Add(1)
		}
	}
	return nil
}
