package masters

import (
	"context"

	"github.com/momtree/mom/minion/failover"
	"github.com/momtree/mom/minion/session"
)

// serveOrSibling serves the only master of the option, or one of its siblings while it is gone.
// The rest of this package does not know about siblings.
func (m *Masters) serveOrSibling(ctx context.Context, master string) error {
	box, err := m.outbox(master)
	if err != nil {
		return err
	}
	return failover.Run(ctx, failover.Config{
		Open: func(name string, o failover.SessionOptions) (failover.Session, error) {
			return m.Sessions.Open(name, box, session.Options(o))
		},
		Options: m.Options, Master: master, Bus: m.Bus, Log: m.Log,
	})
}

var _ failover.Session = (*session.Session)(nil)
