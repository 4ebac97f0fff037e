package api

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// local runs a job and waits for its last minion, in whatever tier it is.
func (s *Server) local(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	return s.runJob(ctx, ses, j, full)
}

func (s *Server) runJob(ctx context.Context, ses Session, j client.Job, full bool) (r result) {
	ctx, cancel := context.WithTimeout(ctx, s.o.CallTime)
	defer cancel()
	o, err := ses.Run(ctx, j)
	if o.JID != "" {
		r.jids = []string{o.JID}
	}
	if err != nil {
		r.err = err
		if len(o.Returns) == 0 {
			return r
		}
	}
	if o.Account != nil {
		r.missing = o.Account.Missing
	}
	m, err := s.returns(ctx, ses, o.JID, o.Returns, full)
	if err != nil {
		r.err = err
		return r
	}
	r.values = []any{m}
	return r
}

// returns shows returns by minion. Those that were too large for an event are read from
// the job cache.
func (s *Server) returns(ctx context.Context, ses Session, jid string, rets map[string]client.Return, full bool) (*value.Map, error) {
	if trimmed(rets) {
		for ret, err := range ses.Returns(ctx, jid) {
			if err != nil {
				s.log.Warn("large returns not read from the job cache", "jid", jid, "err", err)
				break
			}
			if have, ok := rets[ret.ID]; ok && have.Trimmed() {
				rets[ret.ID] = ret
			}
		}
	}
	out := value.Sized(len(rets))
	for _, id := range slices.Sorted(maps.Keys(rets)) {
		v, err := show(rets[id], full)
		if err != nil {
			return nil, err
		}
		out.Set(id, v)
	}
	return out, nil
}

func trimmed(rets map[string]client.Return) bool {
	for _, r := range rets {
		if r.Trimmed() {
			return true
		}
	}
	return false
}

// show is one return: its value, or with full_return what is known beside it.
func show(r client.Return, full bool) (any, error) {
	v, err := r.Value.Decode()
	if err != nil || !full {
		return v, err
	}
	m := value.NewMap("ret", v, "retcode", r.Retcode, "jid", r.JID)
	if r.Out != "" {
		m.Set("out", r.Out)
	}
	return m, nil
}

// localAsync starts a job.
func (s *Server) localAsync(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	p, err := ses.Publish(ctx, j)
	if err != nil {
		return result{err: err}
	}
	ids := p.Minions
	if ids == nil {
		ids = []string{}
	}
	v := value.NewMap("jid", p.JID, "minions", ids)
	if len(p.Pending) > 0 {
		v.Set("pending", p.Pending)
	}
	return result{values: []any{v}, jids: []string{p.JID}}
}

// localBatch runs a job on a few minions at a time; each minion is a result of its own.
func (s *Server) localBatch(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err != nil {
		return result{err: err}
	}
	b, err := ch.Batch()
	if err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.CallTime)
	defer cancel()
	var r result
	rets := map[string]client.Return{}
	var order []string
	a, err := ses.Batch(ctx, j, b, func(ret client.Return) {
		rets[ret.ID] = ret
		order = append(order, ret.ID)
		if !slices.Contains(r.jids, ret.JID) {
			r.jids = append(r.jids, ret.JID)
		}
	})
	r.missing, r.err = a.Missing, err
	for _, jid := range r.jids {
		if _, err := s.returns(ctx, ses, jid, rets, full); err != nil {
			r.err = err
			return r
		}
	}
	r.values = []any{}
	for _, id := range order {
		v, err := show(rets[id], full)
		if err != nil {
			r.err = err
			return r
		}
		r.values = append(r.values, value.NewMap(id, v))
	}
	return r
}

// localSubset runs a job on a few minions at random.
func (s *Server) localSubset(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	n, err := ch.Subset()
	if err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	ask, cancel := context.WithTimeout(ctx, s.o.CallTime)
	defer cancel()
	if j, err = ses.Subset(ask, j, n); err != nil {
		return result{err: err}
	}
	return s.runJob(ctx, ses, j, full)
}
