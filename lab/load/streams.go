package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Streams is the result of the readers of events.
type Streams struct {
	Open      int // streams
	Returns   int // returns that passed while they were open
	Took      time.Duration
	Delivered int // events, of all streams
	Cut       int // streams that were cut off, with a notice, because they were too slow
	Resumed   int // streams that reconnected with the id of their last event
	Gaps      int // notices that some events are not available any more
	Announced int // missing events of streams that got a notice
	Silent    int // missing events of streams without a notice
	Doubled   int // events that a stream received twice
}

// stream is a reader of events. It reconnects when it is cut off.
type stream struct {
	heard   atomic.Int64 // counted events so far
	last    string       // id of the last event
	begun   bool         // events count; earlier ones belong to the requests before
	seen    map[string]int
	doubled int
	noticed bool // it got a notice that events may be missing
	cut     int
	resumed int
	gaps    int
}

// streams opens all streams, publishes jobs whose returns pass, and compares what each stream
// received with what passed.
func (w *world) streams(ctx context.Context) (Streams, error) {
	s := Streams{Open: w.Streams}
	if w.Streams == 0 {
		return s, nil
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	list := make([]*stream, w.Streams)
	errs := make([]error, w.Streams)
	var opened, done, ends sync.WaitGroup
	opened.Add(w.Streams)
	done.Add(w.Streams)
	end := &goal{}
	for i := range list {
		list[i] = &stream{seen: map[string]int{}}
		ends.Go(func() {
			errs[i] = list[i].follow(reading, w, sync.OnceFunc(opened.Done), sync.OnceFunc(done.Done), end)
			if errs[i] != nil {
				stop()
			}
		})
	}
	if err := wait(reading, &opened); err != nil {
		stop()
		ends.Wait()
		return s, errors.Join(err, first(errs))
	}
	if err := w.do(ctx, http.DefaultClient, "POST", "/hook/"+beginTag, "{}", nil); err != nil {
		stop()
		ends.Wait()
		return s, err
	}
	began := time.Now()
	for s.Returns < w.Returns && reading.Err() == nil {
		got, err := w.ping(ctx, http.DefaultClient, "*")
		if err != nil {
			stop()
			ends.Wait()
			return s, err
		}
		s.Returns += len(got)
	}
	// The last event shows each stream that no more follow.
	end.set("load/end/" + time.Now().Format("150405.000000"))
	if err := w.do(ctx, http.DefaultClient, "POST", "/hook/"+end.tag, "{}", nil); err != nil {
		stop()
		ends.Wait()
		return s, err
	}
	late := w.heardOut(reading, list, &done)
	s.Took = time.Since(began)
	stop()
	ends.Wait()
	if err := errors.Join(first(errs), ctx.Err()); err != nil {
		return s, err
	}
	if late != nil {
		w.say("not all streams received the last event, and no event arrived for %v\n", patience)
	}
	for _, x := range list {
		have := 0
		for _, n := range x.seen {
			have++
			s.Delivered += n
		}
		s.Doubled, s.Cut, s.Resumed, s.Gaps = s.Doubled+x.doubled, s.Cut+x.cut, s.Resumed+x.resumed, s.Gaps+x.gaps
		switch lack := s.Returns - have; {
		case !x.noticed && lack < 0: // it has events that never passed
			s.Doubled -= lack
		case !x.noticed:
			s.Silent += lack
		default:
			s.Announced += max(lack, 0)
		}
	}
	return s, nil
}

// beginTag is the path of the webhook that is called before the first counted return.
const beginTag = "load/begin"

// goal is the tag of the last event, set once it is known.
type goal struct {
	mu  sync.Mutex
	tag string
}

func (g *goal) set(tag string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tag = tag
}

func (g *goal) is(tag string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tag != "" && strings.HasSuffix(tag, g.tag)
}

// heardOut waits until all streams have received the last event, as long as events arrive.
func (w *world) heardOut(ctx context.Context, list []*stream, done *sync.WaitGroup) error {
	for before := int64(-1); ; {
		limit, cancel := context.WithTimeout(ctx, patience)
		err := wait(limit, done)
		cancel()
		var now int64
		for _, x := range list {
			now += x.heard.Load()
		}
		if err == nil || ctx.Err() != nil || now == before {
			return err
		}
		before = now
	}
}

// wait waits for a group, or until ctx ends.
func wait(ctx context.Context, g *sync.WaitGroup) error {
	over := make(chan struct{})
	go func() {
		g.Wait()
		close(over)
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func first(errs []error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// follow reads events until it has received the last one, or ctx ends.
func (x *stream) follow(ctx context.Context, w *world, opened, done func(), end *goal) error {
	defer done()
	defer opened()
	for {
		over, err := x.read(ctx, w, opened, end)
		if over || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		x.resumed++
	}
}

// read reads one connection until it ends. over is true once the last event was received.
func (x *stream) read(ctx context.Context, w *world, opened func(), end *goal) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/events?tag=salt/job/*/ret/*&tag=salt/netapi/hook/&tag=mom/api/", nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("X-Auth-Token", w.token)
	if x.last != "" {
		req.Header.Set("Last-Event-ID", x.last)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return false, fmt.Errorf("open a stream: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("open a stream: %d", resp.StatusCode)
	}
	b := bufio.NewReaderSize(resp.Body, 8<<10)
	for {
		l, err := b.ReadString('\n')
		if err != nil {
			return false, nil //nolint:nilerr // cut off; the caller reconnects
		}
		name, v, _ := strings.Cut(strings.TrimSuffix(l, "\n"), ": ")
		switch name {
		case "retry":
			opened()
		case "id":
			x.last = v
		case "tag":
			if x.take(v); end.is(v) {
				return true, nil
			}
		}
	}
}

func (x *stream) take(tag string) {
	switch {
	case tag == "mom/api/slow":
		x.cut++
	case tag == "salt/netapi/hook/"+beginTag:
		x.begun = true
	case tag == "mom/api/gap":
		x.gaps++
		x.noticed, x.begun = true, true
	case tag == "mom/api/lost":
		x.noticed, x.begun = true, true
	case x.begun && strings.HasPrefix(tag, "salt/job/"):
		x.heard.Add(1)
		if x.seen[tag]++; x.seen[tag] > 1 {
			x.doubled++
		}
	}
}
