package publications

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/local"
)

// publisher publishes jobs of one parent on the local master.
type publisher struct {
	o      *Options
	offers chan struct{} // slots for queued jobs that the local master does not accept yet
}

// publish publishes a job of the parent on the local master. It calls waits before a queued job
// starts a long wait.
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
		// The local master reports nothing on a job without a match, but the parent waits for this
		// node's expectation.
		p.o.Answer(events.NoMatch(returners.PartIn(pub)))
	default:
		p.o.Log.Error("job from parent not published", "jid", pub.JID, "err", err)
		p.o.Answer(events.Refused(pub.JID, err))
	}
}

// forward starts the span of a republished job if it belongs to a trace. The local master continues
// it.
func (p *publisher) forward(ctx context.Context, pub wire.Publication) (context.Context, tracing.Span) {
	c := tracing.Of(pub.Extra)
	if !p.o.Tracer.On() || !c.Valid() {
		return ctx, tracing.Span{}
	}
	return p.o.Tracer.Start(c.Extract(ctx), "salt.syndic.forward", trace.SpanKindServer,
		attribute.String("salt.fun", wire.FunName(pub.Fun)), attribute.String("salt.jid", pub.JID))
}

// insist retries for Pace.Publish while the local master accepts no jobs, for it may be starting.
func (p *publisher) insist(ctx context.Context, job wire.PublishLoad) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.Pace.Publish)
	defer cancel()
	retry := p.o.Pace.Backoff()
	for {
		//mutant:origins-with-the-job
		err := p.o.Local.Publish(ctx, job, p.o.Asks(job.JID)...)
		if !errors.Is(err, local.ErrNotNow) || timing.Sleep(ctx, min(retry.Wait(), time.Second)) != nil {
			return err
		}
	}
}

// offer retries a queued job that the local master does not accept yet, for example because its
// disk is full. Meanwhile the parent has no expectation of this node and keeps its minions queued.
// A refusal would end that: the parent offers a queued job only to nodes that connect. offer gives
// up at the job's deadline, when the parent takes the job back, or when too many jobs are waiting.
// why is the error of the last attempt; waits is called before the wait.
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
