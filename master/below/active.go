package below

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// activeWait bounds the wait for the jobs of nodes below.
const activeWait = 3 * time.Second

// AskActive asks for the open jobs of a node and all below.
const AskActive = "active"

// Active returns the open jobs of the nodes directly below, as they report them.
func (s *Service) Active(ctx context.Context) map[string]*wire.Map {
	ctx, cancel := context.WithTimeout(ctx, activeWait)
	defer cancel()
	said, err := s.Ask(ctx, nil, AskActive, nil)
	if err != nil {
		s.o.Log.Warn("child nodes not asked for their jobs", "err", err)
		return nil
	}
	out := map[string]*wire.Map{}
	for id, a := range said {
		if a.Err != nil {
			continue
		}
		if jobs, err := wire.DecodeMap(a.Value); err == nil {
			out[id] = jobs
		} else {
			s.o.Log.Warn("invalid job list from child node", "node", id, "err", err)
		}
	}
	return out
}
