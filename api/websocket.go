package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/momtree/mom/api/stream"
)

// readyText is what a client sends to begin.
const readyText = "websocket client ready"

// readyTime bounds how long it may take to.
const readyTime = 60 * time.Second

// maxMessage bounds what a client may send.
const maxMessage = 4 << 10

// webSocket writes events to a web socket.
type webSocket struct {
	conn *websocket.Conn
	ctx  context.Context
	// before and after stand around each text.
	before, after string
	// shape makes of an event what is sent; "" sends nothing.
	shape func(e stream.Event) []byte
}

func (o *webSocket) text(b string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), sendTime)
	defer cancel()
	return o.conn.Write(ctx, websocket.MessageText, []byte(b))
}

func (o *webSocket) send(e stream.Event) error {
	data := e.Data
	if o.shape != nil && e.Seq > 0 {
		if data = o.shape(e); data == nil {
			return nil
		}
	}
	return o.text(o.before + string(data) + o.after)
}

func (o *webSocket) flush() error { return nil }

func (o *webSocket) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	return o.conn.Ping(ctx)
}

// socket serves rest_cherrypy's web socket.
func (s *Server) socket(c *call) error {
	o := webSocket{before: "data: ", after: "\n\n"}
	if c.r.URL.Query().Has("format_events") {
		o.shape, o.before = newDigest().shape, ""
	}
	return s.serveSocket(c, &o, "server received message")
}

// allEvents serves rest_tornado's web socket with all events.
func (s *Server) allEvents(c *call) error { return s.serveSocket(c, &webSocket{}, "") }

// formattedEvents serves rest_tornado's with what happens to jobs and minions.
func (s *Server) formattedEvents(c *call) error {
	return s.serveSocket(c, &webSocket{shape: newDigest().shape, after: "\n\n"}, "")
}

func (s *Server) serveSocket(c *call, o *webSocket, reply string) error {
	if !strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket") {
		c.w.Header().Set("Upgrade", "websocket")
		c.w.Header().Set("Connection", "Upgrade")
		return refuse(http.StatusUpgradeRequired, "This is a web socket: ask for an upgrade")
	}
	ctx, end, err := s.beginStream(c)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, notice, err := s.subscribe(c, c.r.URL.Query().Get("last_event_id"))
	if err != nil {
		return err
	}
	defer r.Close()
	// A page of another origin cannot know a token; with a cookie it was asked about before.
	conn, err := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil //nolint:nilerr // it has answered
	}
	defer conn.CloseNow() //nolint:errcheck // it has ended either way
	conn.SetReadLimit(maxMessage)
	o.conn, o.ctx = conn, ctx
	ready := make(chan struct{})
	done := make(chan struct{})
	defer func() { <-done }()
	defer conn.CloseNow() //nolint:errcheck // it has ended either way
	defer cancel(nil)
	go func() {
		defer close(done)
		cancel(o.listen(ready, reply))
	}()
	t := time.NewTimer(readyTime)
	defer t.Stop()
	select {
	case <-ready:
	case <-ctx.Done():
		return nil
	case <-t.C:
		_ = conn.Close(websocket.StatusPolicyViolation, "send: "+readyText)
		return nil
	}
	if notice != nil {
		if err := o.send(*notice); err != nil {
			return nil //nolint:nilerr // whoever asked is gone
		}
	}
	why := s.serveEvents(ctx, c.token, r, o)
	code, text := websocket.StatusGoingAway, "the stream has ended"
	if why != nil && slices.Contains([]error{stream.ErrSlow, errExpired}, why) {
		code, text = websocket.StatusPolicyViolation, why.Error()
	}
	_ = conn.Close(code, text) // it may be gone
	return nil
}

// listen reads what the client sends until it goes: the word to begin, and then anything,
// which is answered where the dialect does that.
func (o *webSocket) listen(ready chan struct{}, reply string) error {
	// A context that ends would end the connection, before anybody is told why.
	ctx := context.WithoutCancel(o.ctx)
	begun := false
	for {
		_, text, err := o.conn.Read(ctx)
		if err != nil {
			return context.Canceled
		}
		if reply != "" {
			if err := o.text(reply); err != nil {
				return context.Canceled
			}
		}
		if !begun && strings.TrimSpace(string(text)) == readyText {
			begun = true
			close(ready)
		}
	}
}
