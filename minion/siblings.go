package minion

import (
	"context"

	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/failover"
	"github.com/momtree/mom/minion/session"
)

// serveOrSibling serves the one master of the option, a sibling of it while that is gone.
// Nothing else in this package knows that there are siblings.
func (m *Minion) serveOrSibling(ctx context.Context, master string) error {
	box, err := delivery.OpenOutbox(m.outboxDir(master), m.cfg.Bounds.OrDefault().Returns, m.log)
	if err != nil {
		return err
	}
	return failover.Run(ctx, failover.Config{
		Open: func(name string, o failover.SessionOptions) (failover.Session, error) {
			return m.sessions.Open(name, box, session.Options(o))
		},
		Options: m.cfg, Master: master, Bus: m.bus, Log: m.log,
	})
}

var _ failover.Session = (*session.Session)(nil)
