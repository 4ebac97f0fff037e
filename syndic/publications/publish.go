package publications

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/local"
)

// publisher hands jobs of one parent to the local master.
type publisher struct {
	o      *Options
	offers chan struct{} // queued jobs that wait until the local master takes them
}

// publish has the local master publish a job of the parent. waits is called before one that is
// queued waits for long.
func (p *publisher) publish(ctx context.Context, pub wire.Publication, waits func()) {
	job, err := republish(pub)
	if err == nil {
		err = p.insist(ctx, job)
	}
	if errors.Is(err, local.ErrNotNow) && ctx.Err() == nil {
		err = p.offer(ctx, pub, job, err, waits)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, local.ErrNoMatch):
		// The local master says nothing about a job that is nobody's; the
		// parent has to know that this node has none for it.
		p.o.Answer(events.Nobody(pub.JID))
	default:
		p.o.Log.Error("A job of the master above could not be published here", "jid", pub.JID, "err", err)
		p.o.Answer(events.Refused(pub.JID, err))
	}
}

// insist asks the local master for a while, since it may be starting.
func (p *publisher) insist(ctx context.Context, job wire.PublishLoad) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.Pace.Publish)
	defer cancel()
	retry := p.o.Pace.Backoff()
	for {
		err := p.o.Local.Publish(ctx, job, p.o.Asks(job.JID)...)
		if !errors.Is(err, local.ErrNotNow) || sleep.For(ctx, min(retry.Wait(), time.Second)) != nil {
			return err
		}
	}
}
