package master

import (
	"context"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
)

// ownJobs are the jobs of this top, for the others.
type ownJobs struct{ m *Master }

func (o ownJobs) GetLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	return o.m.store.Local().GetLoad(ctx, jid)
}

func (o ownJobs) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	return o.m.store.Local().GetExpectations(ctx, jid)
}

func (o ownJobs) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	return o.m.store.Local().GetReturn(ctx, jid, id)
}

func (o ownJobs) ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]returners.Return, error) {
	return o.m.store.ReturnsAfter(ctx, jid, after, limit, maxBytes)
}

func (o ownJobs) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	return o.m.store.Local().ListJobs(ctx, f)
}

func (o ownJobs) State(jid string) (engine.Account, bool) { return o.m.jobs.State(jid) }

func (o ownJobs) Active(ctx context.Context) (any, error) {
	return runners.Run(ctx, &runners.Call{Bound: runners.Bind(runners.Request{Fun: "jobs.active"}), Env: o.m.env.As(o.m.access.Own).Alone()})
}

// jobLoad reads the load of a job, of any top of the cluster.
func (m *Master) jobLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	if m.cluster == nil {
		return m.store.Local().GetLoad(ctx, jid)
	}
	return m.cluster.Reader(m.store.Local(), false).GetLoad(ctx, jid)
}
