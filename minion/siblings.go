package minion

import (
	"context"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/failover"
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
			return newLink(m, name, box, linkOptions(o))
		},
		Options: m.cfg, Master: master, Bus: m.bus, Log: m.log,
	})
}

var _ failover.Session = (*link)(nil)

func (l *link) Name() string                        { return l.name }
func (l *link) Channel() *channel.Channel           { return l.ch }
func (l *link) Announced() <-chan struct{}          { return l.said }
func (l *link) ReportInterrupted()                  { l.m.jobs.ReportInterrupted(l, nil) }
func (l *link) Subscribed() (bool, <-chan struct{}) { return l.up.state() }
