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
	h.Set("X-Accel-Buffering", "no") // keeps a proxy from collecting events
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	return &eventSource{w: w, rc: http.NewResponseController(w), hub: hub}
}

func (o *eventSource) write(parts ...string) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(sendTime)) // a recorder in a test has none
	_, err := o.w.Write([]byte(strings.Join(parts, "")))
	return err
}

// oneLine keeps a tag on one line.
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
	_ = o.rc.SetWriteDeadline(time.Time{}) // no write is due until the next event
	return err
}

func (o *eventSource) beat(context.Context) error {
	if err := o.write(":\n\n"); err != nil {
		return err
	}
	return o.flush()
}
