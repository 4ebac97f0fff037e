package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// Reader reads the job store of this top and, of a job without an account here, those of the other
// tops. It asks them once for a job: use one Reader for each lookup. It is not safe for concurrent
// use.
type Reader struct {
	returners.Reader // of this top
	s                *Service
	alone            bool

	jid     string
	records []*found
}

// found is what another top has of a job. Its returns are read in parts.
type found struct {
	jobRecord
	jid  string
	link *link
	size int
}

// Reader returns a Reader of this top's own store. shared means that the tops share it, so that its
// list of jobs is that of all.
func (s *Service) Reader(own returners.Reader, shared bool) *Reader {
	return &Reader{Reader: own, s: s, alone: shared}
}

// ask returns what the other tops have of a job, those with its account first. It asks nobody if
// this top has the account.
func (r *Reader) ask(ctx context.Context, jid string) ([]*found, error) {
	if r.jid == jid {
		return r.records, nil
	}
	_, loaded, err := r.Reader.GetLoad(ctx, jid)
	if err != nil {
		return nil, err
	}
	xs, err := r.Reader.GetExpectations(ctx, jid)
	if err != nil {
		return nil, err
	}
	r.jid, r.records = jid, nil
	//mutant:tops-ask-for-unknown-jobs
	if whole(loaded, xs) {
		return nil, nil
	}
	for _, a := range r.s.askAll(ctx, wire.NewMap("what", askJob, "jid", jid)) {
		j, err := readJob(jid, a.raw)
		switch {
		case err != nil:
			a.link.failed(err)
		case j.known():
			r.records = append(r.records, &found{j, jid, a.link, len(a.raw)})
		}
	}
	slices.SortStableFunc(r.records, func(a, b *found) int { return cmp.Compare(a.rank(), b.rank()) })
	return r.records, nil
}

func (f *found) rank() int {
	if whole(f.loaded, f.expectations) {
		return 0
	}
	return 1
}

// rest reads the parts of the returns that are still missing.
func (f *found) rest(ctx context.Context) {
	for f.more && len(f.returns) > 0 {
		f.more = false
		after := f.returns[len(f.returns)-1].ID
		raw := f.link.lookup(ctx, wire.NewMap("what", askJob, "jid", f.jid, "after", after))
		if raw == nil {
			return
		}
		part, err := readJob(f.jid, raw)
		f.size += len(raw)
		switch {
		case err != nil:
		case f.size > maxLookup:
			err = errMuch
		case len(part.returns) > 0 && part.returns[0].ID <= after:
			err = errStuck
		}
		if err != nil {
			f.link.failed(err)
			return
		}
		f.returns, f.more = append(f.returns, part.returns...), part.more
	}
}

// GetLoad reads what was published for a job.
func (r *Reader) GetLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	records, err := r.ask(ctx, jid)
	if err != nil {
		return returners.Load{}, false, err
	}
	if len(records) > 0 && records[0].rank() == 0 { // a load that came with returns is not the published one
		return records[0].load, true, nil
	}
	l, ok, err := r.Reader.GetLoad(ctx, jid)
	for _, f := range records {
		if !ok && err == nil {
			l, ok = f.load, f.loaded
		}
	}
	return l, ok, err
}

// GetReturns reads all returns of a job, by minion id.
func (r *Reader) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	records, err := r.ask(ctx, jid)
	if err != nil {
		return nil, err
	}
	out, err := r.Reader.GetReturns(ctx, jid)
	if err != nil || len(records) == 0 {
		return out, err
	}
	for _, f := range records {
		f.rest(ctx)
		out = append(out, f.returns...)
	}
	slices.SortStableFunc(out, func(a, b returners.Return) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b returners.Return) bool { return a.ID == b.ID }), nil
}

// GetReturn reads the return of one minion.
func (r *Reader) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	ret, ok, err := r.Reader.GetReturn(ctx, jid, id)
	if ok || err != nil {
		return ret, ok, err
	}
	records, err := r.ask(ctx, jid)
	if err != nil {
		return ret, false, err
	}
	for _, f := range records {
		i := slices.IndexFunc(f.returns, func(r returners.Return) bool { return r.ID == id })
		if i >= 0 {
			return f.returns[i], true, nil
		}
		if !f.more || id <= f.returns[len(f.returns)-1].ID {
			continue
		}
		raw := f.link.lookup(ctx, wire.NewMap("what", askJob, "jid", jid, "minion", id))
		if raw == nil {
			continue
		}
		switch one, err := readJob(jid, raw); {
		case err != nil:
			f.link.failed(err)
		case len(one.returns) == 1 && one.returns[0].ID == id:
			return one.returns[0], true, nil
		}
	}
	return ret, false, nil
}

// GetExpectations reads who was asked, by node.
func (r *Reader) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	records, err := r.ask(ctx, jid)
	if err != nil {
		return nil, err
	}
	out, err := r.Reader.GetExpectations(ctx, jid)
	if err != nil || len(records) == 0 {
		return out, err
	}
	for _, f := range slices.Backward(records) { // the first has the account: it decides
		for _, x := range f.expectations {
			if i := slices.IndexFunc(out, func(have returners.Expectation) bool { return have.Node == x.Node }); i >= 0 {
				out[i], _ = out[i].Merge(x)
			} else {
				out = append(out, x)
			}
		}
	}
	slices.SortFunc(out, func(a, b returners.Expectation) int { return strings.Compare(a.Node, b.Node) })
	return out, nil
}

// Account returns the account of a job that is open at another top and has none here.
func (r *Reader) Account(ctx context.Context, jid string) (engine.Account, bool) {
	records, err := r.ask(ctx, jid)
	if err != nil {
		return engine.Account{}, false // the caller has read the store
	}
	for _, f := range records {
		if f.open {
			return f.account, true
		}
	}
	return engine.Account{}, false
}

// ListJobs lists the jobs of all tops, the newest first.
func (r *Reader) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	out, err := r.Reader.ListJobs(ctx, f)
	if err != nil || r.alone {
		return out, err
	}
	known := map[string]bool{}
	for _, l := range out {
		known[l.JID] = true
	}
	question := filterOf(f)
	question.Set("what", askJobs)
	for _, a := range r.s.askAll(ctx, question) {
		jids, err := readJIDs(a.raw)
		if err != nil {
			a.link.failed(err)
			continue
		}
		jids = slices.DeleteFunc(jids, func(jid string) bool { return known[jid] })
		for _, l := range a.link.loads(ctx, jids) {
			if !known[l.JID] {
				known[l.JID] = true
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b returners.Load) int { return strings.Compare(b.JID, a.JID) })
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

func readJIDs(raw wire.Raw) ([]string, error) {
	list, err := wire.Field(raw, "jids")
	if err != nil {
		return nil, err
	}
	jids, err := wire.Strings(list)
	if err == nil && len(jids) > maxListed {
		err = fmt.Errorf("%d jobs in one answer: %w", len(jids), wire.ErrType)
	}
	return jids, err
}

// loads reads the loads of jobs, in parts. It returns what it could read.
func (l *link) loads(ctx context.Context, jids []string) (out []returners.Load) {
	size := 0
	for len(jids) > 0 {
		part := jids[:min(len(jids), partRows)]
		raw := l.lookup(ctx, wire.NewMap("what", askLoads, "jids", part))
		if raw == nil {
			return out
		}
		loads, through, err := readLoads(raw)
		size += len(raw)
		switch {
		case err != nil:
		case size > maxLookup:
			err = errMuch
		case through < 1 || through > len(part):
			err = errStuck
		}
		if err != nil {
			l.failed(err)
			return out
		}
		out, jids = append(out, loads...), jids[through:]
	}
	return out
}

func readLoads(raw wire.Raw) (loads []returners.Load, through int, err error) {
	err = wire.Fields(raw, func(key string, val wire.Raw) error {
		switch key {
		case "loads":
			return wire.Elems(val, func(_ int, v wire.Raw) error {
				l, err := readLoad(v)
				loads = append(loads, l)
				return err
			})
		case "through":
			n, err := wire.Int(val)
			if err == nil && (n < 0 || n > maxListed) {
				err = errors.New("it counts wrongly")
			}
			through = int(n)
			return err
		}
		return nil
	})
	return loads, through, err
}
