package master

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
)

// activeWait is how long nodes below may take to tell of their jobs.
const activeWait = 3 * time.Second

// answerActive gives the open jobs of this node and of those below.
func (m *Master) answerActive(ctx context.Context, _ wire.Raw) (any, error) {
	return runners.Run(ctx, &runners.Call{Fun: "jobs.active", Env: runnerEnv{m, m.access.Own}})
}

// activeBelow asks the nodes right below for their open jobs.
func (m *Master) activeBelow(ctx context.Context) map[string]*wire.Map {
	ctx, cancel := context.WithTimeout(ctx, activeWait)
	defer cancel()
	said, err := m.askNodes(ctx, nil, askActive, nil)
	if err != nil {
		m.log.Warn("The nodes below could not be asked for their jobs", "err", err)
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
			m.log.Warn("What a node below says of its jobs cannot be read", "node", id, "err", err)
		}
	}
	return out
}
