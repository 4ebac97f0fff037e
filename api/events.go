package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/momtree/mom/api/stream"
)

// eventSource writes server-sent events in Salt's form: the lines tag and data.
type eventSource struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	hub *stream.Hub // for the ids of events; nil: they have none
}

// openEventSource sends the head of a stream.
func openEventSource(w http.ResponseWriter, hub *stream.Hub) *eventSource {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream;charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // a proxy in between is not to collect them
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	return &eventSource{w: w, rc: http.NewResponseController(w), hub: hub}
}

func (o *eventSource) write(parts ...string) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(sendTime)) // where there is none, such as in tests, nothing waits
	_, err := o.w.Write([]byte(strings.Join(parts, "")))
	return err
}

// oneLine keeps a tag from being more than one line.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")

func (o *eventSource) send(e stream.Event) error {
	id := ""
	if o.hub != nil && e.Seq > 0 {
		id = "id: " + o.hub.ID(e) + "\n"
	}
	return o.write(id, "tag: ", oneLine.Replace(e.Tag), "\ndata: ", string(e.Data), "\n\n")
}

func (o *eventSource) flush() error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(sendTime))
	err := o.rc.Flush()
	_ = o.rc.SetWriteDeadline(time.Time{}) // nothing is to be written until the next event
	return err
}

func (o *eventSource) beat(context.Context) error {
	if err := o.write(":\n\n"); err != nil {
		return err
	}
	return o.flush()
}

// events serves the events of the master as server-sent events.
func (s *Server) events(c *call) error {
	after := c.r.Header.Get("Last-Event-ID")
	if after == "" {
		after = c.r.URL.Query().Get("last_event_id")
	}
	if len(after) > 100 {
		return refuse(http.StatusBadRequest, "Last-Event-ID is none of ours")
	}
	ctx, end, err := s.beginStream(c)
	if err != nil {
		return err
	}
	defer end()
	r, notice, err := s.subscribe(c, after)
	if err != nil {
		return err
	}
	defer r.Close()
	to := openEventSource(c.w, s.hub)
	if err := to.write("retry: 400\n"); err != nil {
		return nil //nolint:nilerr // whoever asked is gone
	}
	if notice != nil {
		if err := to.send(*notice); err != nil {
			return nil //nolint:nilerr // as above
		}
	}
	_ = s.serveEvents(ctx, c.token, r, to) // it has been told
	return nil
}
