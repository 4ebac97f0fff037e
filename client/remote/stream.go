package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/momtree/mom/client"
)

// stream is an open response that never ends. It closes itself after Options.Silence without
// data.
type stream struct {
	d      *decoder
	body   io.ReadCloser
	cancel context.CancelFunc
	watch  *time.Timer
	calm   time.Duration
	opened time.Time
}

// open requests a stream. ctx bounds the opening only.
func (c *Client) open(ctx context.Context, path string, query url.Values, after string) (*stream, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	limit := time.AfterFunc(c.o.Timeout, cancel)
	defer limit.Stop()
	fail := func(err error) (*stream, error) {
		stop()
		cancel()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	base := c.route.base()
	r, err := c.request(life, base, http.MethodGet, path, query, nil)
	if err != nil {
		return fail(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	resp, err := c.do(r, base)
	if err != nil {
		return fail(err)
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); resp.StatusCode != http.StatusOK || err != nil || kind != "text/event-stream" {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, headBytes)) // the text of an error response
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return fail(fmt.Errorf("%w: %s%s", errNoStream, base, path))
		}
		var raw client.Raw
		if raw.UnmarshalJSON(b) != nil {
			return fail(failed(resp.StatusCode, nil))
		}
		v, _ := raw.Decode()
		return fail(failed(resp.StatusCode, v))
	}
	if !stop() { // ctx has just ended
		resp.Body.Close()
		return fail(ctx.Err())
	}
	s := &stream{body: resp.Body, cancel: cancel, calm: c.o.Silence, opened: time.Now()}
	s.watch = time.AfterFunc(s.calm, cancel)
	s.d = newDecoder(s, c.o.event)
	return s, nil
}

// Read implements [io.Reader]. Any data resets the silence timer.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.body.Read(b)
	if n > 0 {
		s.watch.Reset(s.calm)
	}
	return n, err
}

// next returns the next event. If ctx ends, the stream is closed.
func (s *stream) next(ctx context.Context) (event, error) {
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	e, err := s.d.next()
	if err != nil && ctx.Err() != nil {
		return event{}, ctx.Err()
	}
	return e, err
}

func (s *stream) close() {
	s.watch.Stop()
	s.cancel()
	_ = s.body.Close() // fully read or abandoned
}

// Reopening of a broken stream: attempts without a new event in between, and the initial wait,
// which doubles.
const (
	reopenings    = 7
	reopenWaitMin = 500 * time.Millisecond
	reopenWaitMax = 15 * time.Second
	// steady is how long a stream must last to reset the attempts.
	steady = time.Minute
)

// patience counts failed attempts to open a stream.
type patience struct {
	failed int
	wait   time.Duration
}

func (p *patience) reset() { p.failed, p.wait = 0, 0 }

// again waits before the next attempt; it returns false if the attempts are used up. The first
// attempt is immediate.
func (p *patience) again(ctx context.Context) (bool, error) {
	if p.failed++; p.failed > reopenings {
		return false, nil
	}
	if p.wait > 0 {
		t := time.NewTimer(p.wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	p.wait = min(max(2*p.wait, reopenWaitMin), reopenWaitMax)
	return true, nil
}

// errNoStream means that the response to a stream request is not an event stream.
var errNoStream = errors.New("response is not an event stream")

// vain reports whether a retry is useless: the API has refused.
func vain(err error) bool {
	if errors.Is(err, ErrRedirected) || errors.Is(err, errLarge) || errors.Is(err, errNoStream) {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status < 500 && e.Status != http.StatusTooManyRequests
}
