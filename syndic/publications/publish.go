package publications

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
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
	ctx, span := p.forward(ctx, pub)
	job, err := Republish(pub)
	if err == nil {
		err = p.insist(ctx, job)
	}
	defer func() { span.End(err) }()
	if errors.Is(err, local.ErrNotNow) && ctx.Err() == nil {
		err = p.offer(ctx, pub, job, err, waits)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, local.ErrNoMatch):
		// The local master says nothing about a job that is nobody's; the
		// parent has to know that this node has none for it.
		p.o.Answer(events.Nobody(returners.PartIn(pub)))
	default:
		p.o.Log.Error("job from parent not published", "jid", pub.JID, "err", err)
		p.o.Answer(events.Refused(pub.JID, err))
	}
}

// forward begins the span of a job that is handed on, if it belongs to a trace. The master
// below goes on from it.
func (p *publisher) forward(ctx context.Context, pub wire.Publication) (context.Context, tracing.Span) {
	c := tracing.Of(pub.Extra)
	if !p.o.Tracer.On() || !c.Valid() {
		return ctx, tracing.Span{}
	}
	return p.o.Tracer.Start(c.Extract(ctx), "salt.syndic.forward", trace.SpanKindServer,
		attribute.String("salt.fun", wire.FunName(pub.Fun)), attribute.String("salt.jid", pub.JID))
}

// insist asks the local master for a while, since it may be starting.
func (p *publisher) insist(ctx context.Context, job wire.PublishLoad) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.Pace.Publish)
	defer cancel()
	retry := p.o.Pace.Backoff()
	for {
		//mutant:origins-with-the-job
		err := p.o.Local.Publish(ctx, job, p.o.Asks(job.JID)...)
		if !errors.Is(err, local.ErrNotNow) || sleep.For(ctx, min(retry.Wait(), time.Second)) != nil {
			return err
		}
	}
}

// offer goes on offering a queued job which the local master does not take as yet: its disk
// takes nothing, say. The parent, which has not heard who has to answer, queues for those
// behind this node meanwhile; were it told of a refusal, it would give the job to nobody here
// any more, for it is given to who comes and this node stays. why is what the last attempt
// ended with; waits is called before it waits. It gives up at the deadline, when the job is taken back, or when too many
// wait so.
func (p *publisher) offer(ctx context.Context, pub wire.Publication, job wire.PublishLoad, why error, waits func()) error {
	left := offerUntil(pub)
	//mutant:engine-queued-are-offered
	if left <= 0 {
		return why
	}
	select {
	case p.offers <- struct{}{}:
	default:
		return why
	}
	defer func() { <-p.offers }()
	waits()
	p.o.Log.Warn("queued job from parent not accepted, retrying until its deadline", "jid", pub.JID, "within", left, "err", why)
	ctx, cancel := context.WithTimeout(ctx, left)
	defer p.o.Offered.end(pub.JID)
	p.o.Offered.add(pub.JID, cancel)
	for {
		if err := p.insist(ctx, job); !errors.Is(err, local.ErrNotNow) || ctx.Err() != nil {
			return err
		}
	}
}
