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

var errNotMeant = errors.New("job does not match the minion")

// Values of jid for jobs that nobody published: salt-call and schedules leave the jid to the
// master, or ask not to store the return.
const (
	jidByMaster = "req"
	jidNoCache  = "nocache"
)

// ownJID is mom's addition to a return that leaves the jid to the master: the minion's id of the
// job. A repeated return is recognized by it.
const ownJID = "mom_jid"

func init() {
	commands.Register(server.Command{
		Name: "_return", Who: server.Peer, Whole: true,
		Args: []string{"jid", "return", "fun", "fun_args", "success", "retcode", "out", "user", "master_id", "sig"},
		Doc: `
A minion's return of a job. It is acknowledged after it is stored.

jid
    The job. req: the master chooses one. nocache: the return is fired and not stored.
return, fun, fun_args, success, retcode, out
    The result, the function, its status and its outputter.
user, master_id
    The user and the master of the job, from the publication.
sig
    The minion's signature of the return, with minion_sign_messages.
`,
	}, func(s *Service) server.Handler { return s.onReturn })
}

// onReturn serves `_return`: one minion's return (Salt wire reference §9.1). It acknowledges after
// the commit.
func (s *Service) onReturn(ctx context.Context, r *server.Request) (any, error) {
	ret, err := wire.ParseReturn(r.Load)
	if err != nil {
		err = fmt.Errorf("return of %q: %w", r.ID, err)
		//mutant:unreadable-return-ends-its-job
		if kept := s.refuseReturn(ctx, r, RowOutline(r.ID, r.Load), err); errors.Is(kept, server.ErrNotStored) {
			return nil, kept
		}
		return nil, err // Salt answers with an empty string
	}
	if err := s.mayReturn(r, ret); err != nil {
		return nil, err
	}
	//mutant:stock-minions-stay-minions
	if r.Version >= 3 { // older versions do not prove the id
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
		return nil, s.fireOnly(row)
	}
	var loads []returners.Load
	if ret.JID == jidByMaster {
		if row, err = s.assignJID(row, own); err != nil {
			return nil, err
		}
		loads = []returners.Load{{JID: row.JID, Raw: row.Full, User: ret.User, At: row.At}}
	}
	return nil, s.keep(ctx, []returners.Return{row}, loads)
}

// row returns the row of a return, with masked arguments.
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

// mayReturn checks the jid and the sender of a return.
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

// chosenJID returns the jid of a return, or the minion's own id of its job. The form of an own id
// prevents it from replacing the load of another job.
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
	return "", fmt.Errorf("return of %q: %s is not a valid own job id", ret.ID, ownJID)
}

// assignJID replaces the jid "req" by the minion's own id or a new one, and turns the return into
// the load of its job.
func (s *Service) assignJID(r returners.Return, own string) (returners.Return, error) {
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

// keep commits returns and passes the new ones to the engine. Repeated returns and those over
// quota are acknowledged without effect.
func (s *Service) keep(ctx context.Context, rets []returners.Return, loads []returners.Load) error {
	c := s.withinQuota(rets, loads)
	if rets, loads = c.rets, c.loads; len(rets)+len(loads) == 0 {
		return nil
	}
	save := s.o.Jobs.Returns(rets, loads)
	ctx, span := s.commitSpan(ctx, rets)
	fresh, err := s.o.Store.SaveReturns(ctx, save.Batch.Returns, save.Batch.Loads...)
	span.End(err)
	s.o.Jobs.Saved(save, returners.Result{NewReturns: fresh}, err)
	c.refund(fresh, err)
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

// fireOnly fires a return that is not to be stored.
func (s *Service) fireOnly(r returners.Return) error {
	if !s.withinEventQuota(r.ID, len(r.Full)) {
		return nil
	}
	return s.o.Bus.FireEvent(bus.Event{Tag: jobevent.TagReturn(r.JID, r.ID), Data: r.Full, Stamp: s.o.Now()})
}
