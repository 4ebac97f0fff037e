package remote

import (
	"context"
	"fmt"
	"net/url"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
)

// Events are the events of the master, as far as the holder of the token hears them.
type Events struct {
	s    *stream
	last string
}

// Events opens the events of the master. after is the id of the last that was had, "" to
// begin with what comes now; of what cannot be had any more the event mom/api/gap tells. ctx
// bounds the opening alone.
func (c *Client) Events(ctx context.Context, after string) (*Events, error) {
	s, err := c.open(ctx, "/events", url.Values{}, after)
	if err != nil {
		return nil, fmt.Errorf("the events of the API: %w", err)
	}
	return &Events{s: s, last: after}, nil
}

// Last is the id of the event that Next gave last.
func (e *Events) Last() string { return e.last }

// Next waits for the next event. After an error there are no more: [client.ErrBusLost] says
// that the stream broke or was ended by the API. It is not for several goroutines at once.
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

// Close ends the listening.
func (e *Events) Close() error {
	e.s.close()
	return nil
}
