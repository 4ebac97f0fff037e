package runnerenv

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/cluster"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
)

// Jobs reads the embedded store and the configured job cache as one: the former has what is on its
// way to the latter. A top of a cluster asks the others for a job that it has no account of.
func (e Env) Jobs(ctx context.Context, name string) (returners.Reader, error) {
	local, configured := e.p.Store.Local(), e.p.Store.Reader(ctx)
	own := e.p.JobCache
	switch name {
	case "":
		if e.alone {
			return local, nil
		}
		whole := below.Whole{Reader: local, Below: e.p.Below}
		if configured != local {
			whole.Reader, whole.SQL = runners.Union(local, configured), configured
		}
		if e.p.Cluster == nil {
			return whole, nil
		}
		tops := e.p.Cluster.Reader(whole.Reader, whole.SQL != nil)
		whole.Reader = tops
		return jobsOfTops{whole, tops}, nil
	case "local_cache":
		return local, nil
	case own:
		if configured == local {
			return nil, fmt.Errorf("the job cache %s is unreachable; ext_source=local_cache reads the own store of this master", own)
		}
		return configured, nil
	}
	if own == "" {
		return nil, fmt.Errorf("ext_source=%s: this master has only the job cache local_cache", name)
	}
	return nil, fmt.Errorf("ext_source=%s: this master has the job caches local_cache and %s", name, own)
}

// jobsOfTops reads the jobs of all tops of a cluster.
type jobsOfTops struct {
	below.Whole
	tops *cluster.Reader
}

// Account returns the account of a job that is open at another top only.
func (j jobsOfTops) Account(ctx context.Context, jid string) (engine.Account, bool) {
	return j.tops.Account(ctx, jid)
}

// Alone returns an Env that reads jobs from the embedded store and asks no other master for them.
func (e Env) Alone() Env {
	e.alone = true
	return e
}

// ActiveBelow returns the running jobs of the nodes below.
func (e Env) ActiveBelow(ctx context.Context) map[string]*wire.Map {
	if e.alone {
		return nil
	}
	return e.p.Below.Active(ctx)
}

// ActiveAtTops returns the running jobs of the other tops.
func (e Env) ActiveAtTops(ctx context.Context) map[string]*wire.Map {
	if e.p.Cluster == nil || e.alone {
		return nil
	}
	return e.p.Cluster.Active(ctx)
}
