package masters

import (
	"context"
	"fmt"
)

// Run serves the masters according to master_type until ctx ends or no usable master is left.
// The error is the reason; it wraps channel.ErrRejected if a master rejected the minion.
func (m *Masters) Run(ctx context.Context) error {
	list := m.List()
	switch {
	case m.Options.MasterType == "disable":
		<-ctx.Done()
		return nil
	case len(list) == 0:
		return fmt.Errorf("minion %s has no master: set the option master", m.Options.ID)
	case m.Options.MasterType == "failover":
		return m.failover(ctx, list)
	//mutant:failover-minion-trace
	case m.Options.Rehome && len(list) == 1:
		return m.serveOrSibling(ctx, list[0])
	default:
		return m.serveEach(ctx, list)
	}
}
