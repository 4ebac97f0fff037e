package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

// eventOpener opens the event bus; see [Backend].
type eventOpener interface {
	Events(ctx context.Context) (Events, error)
}

// eventHandler serves the events of the master, as server-sent events and on web sockets.
type eventHandler struct {
	streams *streams
	hub     *stream.Hub
	master  eventOpener
	// none: the backend has no events.
	none bool
}

// maxEventID bounds the header Last-Event-ID.
const maxEventID = 100

// serverSent serves /events.
func (h *eventHandler) serverSent(c *call) error {
	after := c.r.Header.Get("Last-Event-ID")
	if after == "" {
		after = c.r.URL.Query().Get("last_event_id")
	}
	if len(after) > maxEventID {
		return Refuse(http.StatusBadRequest, "unknown event id in Last-Event-ID")
	}
	ctx, end, err := h.streams.begin(c)
	if err != nil {
		return err
	}
	defer end()
	r, notice, err := h.subscribe(c, after)
	if err != nil {
		return err
	}
	defer r.Close()
	to := openEventSource(c.w, h.hub)
	if err := to.write("retry: 400\n"); err != nil {
		return nil //nolint:nilerr // the client has gone
	}
	if notice != nil {
		if err := to.send(*notice); err != nil {
			return nil //nolint:nilerr // the client has gone
		}
	}
	_ = h.streams.serve(ctx, c.token, r, to) // the stream has sent the error to the client
	return nil
}

// socket serves the web socket of rest_cherrypy.
func (h *eventHandler) socket(c *call) error {
	o := webSocket{before: "data: ", after: "\n\n", reply: "server received message"}
	if c.r.URL.Query().Has("format_events") {
		o.shape, o.before = newJobDigest().shape, ""
	}
	return h.serveSocket(c, &o)
}

// allSocket serves the web socket of rest_tornado with all events.
func (h *eventHandler) allSocket(c *call) error { return h.serveSocket(c, &webSocket{}) }

// formattedSocket serves the web socket of rest_tornado with the states of jobs and minions.
func (h *eventHandler) formattedSocket(c *call) error {
	return h.serveSocket(c, &webSocket{shape: newJobDigest().shape, after: "\n\n"})
}

func (h *eventHandler) serveSocket(c *call, o *webSocket) error {
	if err := checkUpgrade(c); err != nil {
		return err
	}
	ctx, end, err := h.streams.begin(c)
	if err != nil {
		return err
	}
	defer end()
	r, notice, err := h.subscribe(c, c.r.URL.Query().Get("last_event_id"))
	if err != nil {
		return err
	}
	defer r.Close()
	o.serve(ctx, c, notice, func(ctx context.Context) error { return h.streams.serve(ctx, c.token, r, o) })
	return nil
}

// subscribe opens the events that a request asks for. The event is a notice about missed events, or
// nil.
func (h *eventHandler) subscribe(c *call, after string) (*stream.Reader, *stream.Event, error) {
	if h.none {
		return nil, nil, h.whyNone(c.ctx)
	}
	f, err := stream.NewFilter(c.r.URL.Query()["tag"])
	if err != nil {
		return nil, nil, Refuse(http.StatusBadRequest, "tag: "+err.Error())
	}
	r, gap, err := h.hub.Subscribe(f, h.streams.rules.of(c.token), after)
	if err != nil {
		return nil, nil, Refuse(http.StatusServiceUnavailable, errStopped.Error())
	}
	if gap == nil {
		return r, nil, nil
	}
	var missed any
	if gap.Missed > 0 {
		missed = int64(gap.Missed)
	}
	notice := noticeData(tagGap, value.NewMap("after", after, "missed", missed, "reason", "events since then are no longer stored; ask the master what happened"))
	return r, &stream.Event{Tag: tagGap, Data: notice}, nil
}

// whyNone returns the backend's reason for having no events.
func (h *eventHandler) whyNone(ctx context.Context) error {
	e, err := h.master.Events(ctx)
	if err == nil {
		err = errors.Join(ErrNoEvents, e.Close())
	}
	return err
}
