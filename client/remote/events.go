package remote

import (
	"context"
	"fmt"
	"net/url"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
)

// Events is a stream of the master's events that the holder of the token may read.
type Events struct {
	s    *stream
	last string
}

// Events opens the event stream. It resumes after the event with the id after; "" starts with the
// next event. Events that are no longer available are reported by the event mom/api/gap. ctx
// bounds the opening only.
func (c *Client) Events(ctx context.Context, after string) (*Events, error) {
	s, err := c.open(ctx, "/events", url.Values{}, after)
	if err != nil {
		return nil, fmt.Errorf("the events of the API: %w", err)
	}
	return &Events{s: s, last: after}, nil
}

// Last returns the id of the last event returned by Next.
func (e *Events) Last() string { return e.last }

// Next blocks until the next event. An error is final: [client.ErrBusLost] means that the stream
// broke or that the API ended it. Next is not safe for concurrent use.
func (e *Events) Next(ctx context.Context) (client.Event, error) {
	ev, err := e.s.next(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return client.Event{}, ctx.Err()
		}
		return client.Event{}, fmt.Errorf("%w: %w", client.ErrBusLost, err)
	}
	if ev.tag == "mom/api/end" || ev.tag == "mom/api/slow" {
		return client.Event{}, fmt.Errorf("%w: the API ended it: %s", client.ErrBusLost, reason(ev))
	}
	d, err := dataOf(ev)
	if err != nil {
		return client.Event{}, fmt.Errorf("%w: event %q: %w", client.ErrBusLost, ev.tag, err)
	}
	if ev.id != "" {
		e.last = ev.id
	}
	out := client.Event{Tag: ev.tag}
	if at, err := wire.ParseStamp(d.String("_stamp")); err == nil {
		out.Time = at
	}
	if out.Data, err = client.RawOf(d); err != nil {
		return client.Event{}, fmt.Errorf("%w: event %q: %w", client.ErrBusLost, ev.tag, err)
	}
	return out, nil
}

// Close closes the stream.
func (e *Events) Close() error {
	e.s.close()
	return nil
}
