package intake

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

var errNotMeant = errors.New("the job was not meant for this minion")

// jidByMaster is the jid of salt-call and schedules, who leave it to the master.
const jidByMaster = "req"

func init() {
	commands.Register(server.Command{
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
	}, func(s *Service) server.Handler { return s.onReturn })
}

// onReturn serves `_return`: one minion's answer (Salt wire reference §9.1). The
// acknowledgement leaves only after the commit.
func (s *Service) onReturn(ctx context.Context, r *server.Request) (any, error) {
	ret, err := wire.ParseReturn(r.Load)
	if err != nil {
		err = fmt.Errorf("return of %q: %w", r.ID, err)
		if kept := s.refuseReturn(ctx, r, rows.Outline(r.ID, r.Load), err); errors.Is(kept, server.ErrNotStored) {
			return nil, kept
		}
		return nil, err // which Salt answers by an empty text
	}
	if err := s.mayReturn(r, ret); err != nil {
		return nil, err
	}
	if r.Version >= 3 { // before that, anybody could say this of anybody
		s.o.Policy.ActsAsMinion(r.ID)
	}
	if s.o.Policy.Excludes(ret.JID, ret.ID) {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfJob, Path: ret.ID, ID: ret.ID, JID: ret.JID, Err: errNotMeant})
		return nil, nil
	}
	if err := s.fieldsOf(r, ret.Full); err != nil {
		return nil, s.refuseReturn(ctx, r, ret, err)
	}
	if err := s.o.Signatures.CheckReturn(ret, r.Load); err != nil {
		if err := s.refuseReturn(ctx, r, ret, err); errors.Is(err, server.ErrNotStored) {
			return nil, err
		}
		return false, nil
	}
	if s.o.Peers.Answered(ret.JID, ret.ID, ret.Value, r.Version) {
		return nil, nil
	}
	row := rows.Of(ret, s.o.Now())
	var loads []returners.Load
	if ret.JID == jidByMaster {
		if row, err = s.giveJID(row); err != nil {
			return nil, err
		}
		loads = []returners.Load{{JID: row.JID, Raw: row.Full, User: ret.User, At: row.At}}
	}
	return nil, s.keep(ctx, []returners.Return{row}, loads)
}

// mayReturn tells whether a return names a job, and its sender.
func (s *Service) mayReturn(r *server.Request, ret wire.Return) error {
	switch {
	case ret.JID != jidByMaster && !jid.Valid(ret.JID):
		return fmt.Errorf("return of %q: jid %q is not a job id", r.ID, ret.JID)
	case !s.o.Keys.Accepted(ret.ID):
		return fmt.Errorf("return of job %s: id %q has no accepted key", ret.JID, ret.ID)
	}
	if err := ownership.MayReturn(r.ID, ret.ID, r.Version); err != nil {
		return fmt.Errorf("return of job %s: %w", ret.JID, err)
	}
	return nil
}

// giveJID replaces the jid "req" by a fresh one, and adds what makes the return
// the load of its own job.
func (s *Service) giveJID(r returners.Return) (returners.Return, error) {
	v, err := wire.DecodeWithin(r.Full, wire.Limits{MaxNodes: server.MaxValues})
	full, ok := v.(*wire.Map)
	if err == nil && !ok {
		err = server.ErrNotAMap
	}
	if err != nil {
		return r, fmt.Errorf("return of %s without jid: %w", r.ID, err)
	}
	r.JID = s.o.JIDs.Next()
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
// are new. Repeats are acknowledged and change nothing.
func (s *Service) keep(ctx context.Context, rets []returners.Return, loads []returners.Load) error {
	save := s.o.Jobs.Returns(rets, loads)
	fresh, err := s.o.Store.SaveReturns(ctx, save.Batch.Returns, save.Batch.Loads...)
	s.o.Jobs.Saved(save, returners.Result{NewReturns: fresh}, err)
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
