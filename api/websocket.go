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

// readyText is what a client sends to start the events.
const readyText = "websocket client ready"

// readyTime bounds the wait for it.
const readyTime = 60 * time.Second

// maxMessage bounds a message of a client.
const maxMessage = 4 << 10

// webSocket writes events to a web socket.
type webSocket struct {
	// before and after surround each text.
	before, after string
	// shape makes the text of an event; nil sends nothing. A nil shape sends the event as it is.
	shape func(e stream.Event) []byte
	// reply answers each message of the client; "": none.
	reply string

	conn *websocket.Conn
	ctx  context.Context
}

// checkUpgrade refuses a request that is no handshake of a web socket.
func checkUpgrade(c *call) error {
	if strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket") {
		return nil
	}
	c.w.Header().Set("Upgrade", "websocket")
	c.w.Header().Set("Connection", "Upgrade")
	return Refuse(http.StatusUpgradeRequired, "This is a web socket: ask for an upgrade")
}

// serve opens the web socket, waits until the client is ready, and calls send until either side
// ends.
func (o *webSocket) serve(ctx context.Context, c *call, notice *stream.Event, send func(context.Context) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A page of another origin does not know a token. For a cookie the origin was checked before.
	conn, err := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(maxMessage)
	o.conn, o.ctx = conn, ctx
	ready := make(chan struct{})
	done := make(chan struct{})
	defer func() { <-done }()
	defer conn.CloseNow() //nolint:errcheck // it has ended either way
	defer cancel(nil)
	go func() {
		defer close(done)
		cancel(o.listen(ready))
	}()
	t := time.NewTimer(readyTime)
	defer t.Stop()
	select {
	case <-ready:
	case <-ctx.Done():
		return
	case <-t.C:
		_ = conn.Close(websocket.StatusPolicyViolation, "send: "+readyText)
		return
	}
	if notice != nil {
		if err := o.send(*notice); err != nil {
			return // the client has gone
		}
	}
	why := send(ctx)
	code, text := websocket.StatusGoingAway, "the stream has ended"
	if why != nil && slices.Contains([]error{stream.ErrSlow, errExpired}, why) {
		code, text = websocket.StatusPolicyViolation, why.Error()
	}
	_ = conn.Close(code, text) // the client may have gone
}

// listen reads what the client sends until it goes. It closes ready once the client is ready.
func (o *webSocket) listen(ready chan struct{}) error {
	// If the context of a read ends, the connection ends before the client can learn why.
	ctx := context.WithoutCancel(o.ctx)
	begun := false
	for {
		_, text, err := o.conn.Read(ctx)
		if err != nil {
			return context.Canceled
		}
		if o.reply != "" {
			if err := o.text(o.reply); err != nil {
				return context.Canceled
			}
		}
		if !begun && strings.TrimSpace(string(text)) == readyText {
			begun = true
			close(ready)
		}
	}
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
