package runnerenv

import (
	"context"
	"fmt"

	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
)

// Jobs reads the embedded store and the configured job cache as one: the former has what is on its
// way to the latter.
func (e Env) Jobs(ctx context.Context, name string) (returners.Reader, error) {
	local, configured := e.p.Store.Local(), e.p.Store.Reader(ctx)
	own := e.p.JobCache
	switch name {
	case "":
		if configured == local {
			return below.Whole{Reader: local, Below: e.p.Below}, nil
		}
		return below.Whole{Reader: runners.Union(local, configured), Below: e.p.Below, SQL: configured}, nil
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
