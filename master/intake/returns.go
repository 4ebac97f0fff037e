package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

var errNotMeant = errors.New("the job was not meant for this minion")

// What minions say in the place of a jid of what nobody has published: of salt-call and of
// schedules, who leave it to the master, and of jobs whose results are not to be stored.
const (
	jidByMaster = "req"
	jidNoCache  = "nocache"
)

// ownJID is our addition to a return that leaves the jid to the master: the one that the
// minion has given its job. A return that is sent twice is the same one by it.
const ownJID = "mom_jid"

func init() {
	commands.Register(server.Command{
		Name: "_return", Who: server.Peer, Whole: true,
		Args: []string{"jid", "return", "fun", "fun_args", "success", "retcode", "out", "user", "master_id", "sig"},
		Doc: `
One minion's answer to a job. It is acknowledged when it is stored.

jid
    The job; req leaves it to the master, nocache has the return told and not stored.
return, fun, fun_args, success, retcode, out
    The result, of what, how it ended, and the outputter that suits it.
user, master_id
    Who asked for the job and which master, as the publication had it.
sig
    The minion's signature of all that, with minion_sign_messages.
`,
	}, func(s *Service) server.Handler { return s.onReturn })
}

// onReturn serves `_return`: one minion's answer (Salt wire reference §9.1). The
// acknowledgement leaves only after the commit.
func (s *Service) onReturn(ctx context.Context, r *server.Request) (any, error) {
	ret, err := wire.ParseReturn(r.Load)
	if err != nil {
		err = fmt.Errorf("return of %q: %w", r.ID, err)
		//mutant:unreadable-return-ends-its-job
		if kept := s.refuseReturn(ctx, r, RowOutline(r.ID, r.Load), err); errors.Is(kept, server.ErrNotStored) {
			return nil, kept
		}
		return nil, err // which Salt answers by an empty text
	}
	if err := s.mayReturn(r, ret); err != nil {
		return nil, err
	}
	//mutant:stock-minions-stay-minions
	if r.Version >= 3 { // before that, anybody could say this of anybody
		s.o.Policy.ActsAsMinion(r.ID)
	}
	own, err := chosenJID(ret)
	if err != nil {
		return nil, err
	}
	res, err := s.resourceOf(r, ret)
	if err != nil {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfResource, Path: ret.ID, ID: res, JID: own, Err: err})
		return nil, nil
	}
	if s.excludes(own, ret.ID, res) {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfJob, Path: ret.ID, ID: cmp.Or(res, ret.ID), JID: own, Err: errNotMeant})
		return nil, nil
	}
	if err := s.fieldsOf(r, ret.Full); err != nil {
		return nil, s.refuseReturn(ctx, r, ret, err)
	}
	if err := s.o.Signatures.CheckReturn(ret, r.Load); err != nil {
		//mutant:refused-return-ends-its-job
		if err := s.refuseReturn(ctx, r, ret, err); errors.Is(err, server.ErrNotStored) {
			return nil, err
		}
		return false, nil
	}
	if res != "" {
		if ret, err = underResource(ret, res); err != nil {
			return nil, err
		}
	} else if s.o.Peers.Answered(ret.JID, ret.ID, ret.Value, r.Version) {
		return nil, nil
	}
	row, err := s.row(ret)
	if err != nil {
		return nil, fmt.Errorf("return of job %s of %s: %w", ret.JID, ret.ID, err)
	}
	if ret.JID == jidNoCache {
		return nil, s.tellOnly(row)
	}
	var loads []returners.Load
	if ret.JID == jidByMaster {
		if row, err = s.giveJID(row, own); err != nil {
			return nil, err
		}
		loads = []returners.Load{{JID: row.JID, Raw: row.Full, User: ret.User, At: row.At}}
	}
	return nil, s.keep(ctx, []returners.Return{row}, loads)
}

// row is the row of a return, with secrets in its arguments masked.
func (s *Service) row(ret wire.Return) (returners.Return, error) {
	if wire.Count(ret.FunArgs) > 0 || ret.Extra != nil && ret.Extra.Has("arg") {
		//mutant:mask-passwords-of-returns
		full, err := s.o.Mask.Load(ret.Full)
		if err != nil {
			return returners.Return{}, err
		}
		ret.Full = full
	}
	return RowOf(ret, s.o.Now()), nil
}

// mayReturn tells whether a return names a job, and its sender.
func (s *Service) mayReturn(r *server.Request, ret wire.Return) error {
	switch {
	case ret.JID != jidByMaster && ret.JID != jidNoCache && !jid.Valid(ret.JID):
		return fmt.Errorf("return of %q: jid %q is not a job id", r.ID, ret.JID)
	case !s.o.Keys.Accepted(ret.ID):
		return fmt.Errorf("return of job %s: id %q has no accepted key", ret.JID, ret.ID)
	}
	if err := ownership.MayReturn(r.ID, ret.ID, r.Version); err != nil {
		return fmt.Errorf("return of job %s: %w", ret.JID, err)
	}
	return nil
}

// chosenJID is the jid of a return, or that which the minion has given a job of its own. By
// its form it can be no job of anybody else, whose load it would replace.
func chosenJID(ret wire.Return) (string, error) {
	if ret.JID != jidByMaster || ret.Extra == nil || !ret.Extra.Has(ownJID) {
		return ret.JID, nil
	}
	v, _ := ret.Extra.Get(ownJID)
	if raw, ok := v.(wire.Raw); ok {
		//mutant:schedule-own-id
		if own, err := wire.Str(raw); err == nil && jid.IsOwn(own, ret.ID) {
			return own, nil
		}
	}
	return "", fmt.Errorf("return of %q: %s is no job id that it may give", ret.ID, ownJID)
}

// giveJID replaces the jid "req" by that which the minion has chosen, or by a fresh one, and
// adds what makes the return the load of its own job.
func (s *Service) giveJID(r returners.Return, own string) (returners.Return, error) {
	v, err := wire.DecodeWithin(r.Full, wire.Limits{MaxNodes: server.MaxValues})
	full, ok := v.(*wire.Map)
	if err == nil && !ok {
		err = server.ErrNotAMap
	}
	if err != nil {
		return r, fmt.Errorf("return of %s without jid: %w", r.ID, err)
	}
	if r.JID = own; own == jidByMaster {
		r.JID = s.o.JIDs.Next()
	}
	full.Delete(ownJID)
	full.Set("jid", r.JID)
	if !full.Has("arg") {
		args, _ := full.Get("fun_args")
		full.Set("arg", args)
	}
	full.Set("tgt", r.ID)
	full.Set("tgt_type", "glob")
	if r.Full, err = wire.Encode(full); err != nil {
		return r, fmt.Errorf("return of %s without jid: %w", r.ID, err)
	}
	return r, nil
}

// keep stores returns durably, then tells the bus and the ledger of those that
// are new. Repeats, and what exceeds the quota of a minion, are acknowledged and change
// nothing.
func (s *Service) keep(ctx context.Context, rets []returners.Return, loads []returners.Load) error {
	c := s.withinQuota(rets, loads)
	if rets, loads = c.rets, c.loads; len(rets)+len(loads) == 0 {
		return nil
	}
	save := s.o.Jobs.Returns(rets, loads)
	ctx, span := s.commit(ctx, rets)
	fresh, err := s.o.Store.SaveReturns(ctx, save.Batch.Returns, save.Batch.Loads...)
	span.End(err)
	s.o.Jobs.Saved(save, returners.Result{NewReturns: fresh}, err)
	c.settle(fresh, err)
	if err != nil {
		return fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	for _, is := range fresh {
		if !is {
			s.o.Stats.Repeated.Add(1)
		}
	}
	return nil
}

// tellOnly has the bus hear of a return that nobody is to store.
func (s *Service) tellOnly(r returners.Return) error {
	if !s.mayBring(r.ID, len(r.Full)) {
		return nil
	}
	return s.o.Bus.FireEvent(bus.Event{Tag: jobevent.TagReturn(r.JID, r.ID), Data: r.Full, Stamp: s.o.Now()})
}
