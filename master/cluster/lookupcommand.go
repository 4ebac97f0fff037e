package cluster

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

const (
	// lookupCommand reads the job store of another top.
	lookupCommand = "_cluster_lookup"
	// partRows and partBytes bound the returns, and the loads, of an answer.
	partRows  = 5000
	partBytes = 4 << 20
	// maxListed bounds the job ids of an answer.
	maxListed = 100_000
)

// What a top asks for.
const (
	askJob    = "job"
	askJobs   = "jobs"
	askLoads  = "loads"
	askActive = "active"
)

// Jobs are the jobs of this top alone.
type Jobs interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
	GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
	GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error)
	ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]returners.Return, error)
	ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error)
	// State returns the account of a job that is open or was closed recently.
	State(jid string) (engine.Account, bool)
	// Active returns the open jobs as jobs.active shows them.
	Active(ctx context.Context) (any, error)
}

func init() {
	commands.Register(server.Command{
		Name: lookupCommand, Who: server.Proven, Whole: true,
		Args: []string{"what", "jid", "minion", "after", "jids", "fun", "target", "since", "until", "limit", "find_job"},
		Doc: `
Another top of the cluster looks jobs up in the store of this one, because it has no account
of them; our own addition. This top asks no other.

what
    "job": a job. "jobs": job ids. "loads": loads of jobs. "active": the open jobs.
jid
    The job; minion: with the return of this minion only; after: only returns of minions after
    this one, without the rest.
jids
    The jobs whose loads are asked for.
fun, target, since, until, limit, find_job
    The filter of a list.
`,
	}, func(s *Service) server.Handler { return s.onLookup })
}

// onLookup answers another top from the store of this one.
func (s *Service) onLookup(ctx context.Context, r *server.Request) (any, error) {
	//mutant:only-tops-look-up-jobs
	if err := s.Admits(r.ID); err != nil {
		return wire.NewMap("error", err.Error()), nil
	}
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("lookup of top %s: %w", r.ID, err)
	}
	var answer any
	switch what := d.String("what"); what {
	case askJob:
		answer, err = s.answerJob(ctx, d)
	case askJobs:
		answer, err = s.answerJobs(ctx, readFilter(d))
	case askLoads:
		answer, err = s.answerLoads(ctx, d.Strings("jids"))
	case askActive:
		answer, err = s.o.Jobs.Active(ctx)
	default:
		err = fmt.Errorf("top %s does not know the question %q: it runs version %s", s.o.Node, what, s.o.Version)
	}
	if err != nil {
		return wire.NewMap("error", err.Error()), nil
	}
	return wire.NewMap("answer", answer), nil
}

func (s *Service) answerJob(ctx context.Context, d *wire.Map) (_ any, err error) {
	jid, id, after := d.String("jid"), d.String("minion"), d.String("after")
	var r jobRecord
	if id == "" && after == "" { // the account before the returns: what is not in it is in them
		var a engine.Account
		if a, r.open = s.o.Jobs.State(jid); r.open {
			r.account, r.open = a, a.Open()
		}
		if r.load, r.loaded, err = s.o.Jobs.GetLoad(ctx, jid); err != nil {
			return nil, err
		}
		if r.expectations, err = s.o.Jobs.GetExpectations(ctx, jid); err != nil {
			return nil, err
		}
	}
	if id != "" {
		ret, ok, err := s.o.Jobs.GetReturn(ctx, jid, id)
		if err != nil {
			return nil, err
		}
		if ok {
			r.returns = append(r.returns, ret)
		}
		return r.encode()
	}
	if r.returns, err = s.o.Jobs.ReturnsAfter(ctx, jid, after, partRows, partBytes); err != nil {
		return nil, err
	}
	if n := len(r.returns); n > 0 {
		next, err := s.o.Jobs.ReturnsAfter(ctx, jid, r.returns[n-1].ID, 1, 1)
		if err != nil {
			return nil, err
		}
		r.more = len(next) > 0
	}
	return r.encode()
}

func (s *Service) answerJobs(ctx context.Context, f returners.Filter) (any, error) {
	loads, err := s.o.Jobs.ListJobs(ctx, f)
	if err != nil {
		return nil, err
	}
	jids := make([]string, 0, min(len(loads), maxListed))
	for _, l := range loads[:min(len(loads), maxListed)] {
		jids = append(jids, l.JID)
	}
	return wire.NewMap("jids", jids), nil
}

// answerLoads returns loads in the order of the ids. It may stop before the last one: what was
// reached is in "through".
func (s *Service) answerLoads(ctx context.Context, jids []string) (any, error) {
	loads, size, through := []any{}, 0, 0
	for _, jid := range jids {
		l, ok, err := s.o.Jobs.GetLoad(ctx, jid)
		if err != nil {
			return nil, err
		}
		if size += len(l.Raw); through > 0 && (size > partBytes || through >= partRows) {
			break
		}
		through++
		if ok {
			loads = append(loads, encodeLoad(l))
		}
	}
	return wire.NewMap("loads", loads, "through", through), nil
}
