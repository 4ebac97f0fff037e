package scale

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/internal/timing"
)

// soakTag is the tag of the numbered events.
const soakTag = "soak/event"

// readers are event streams of the REST API, each of which must deliver every numbered event once.
type readers struct {
	stop context.CancelFunc
	ends sync.WaitGroup
	all  []*reader
	api  *remote.Client
}

type reader struct {
	mu     sync.Mutex
	seen   map[int64]int
	broken int // how often the stream was reopened
	gaps   int
}

// readersPatience is how long the API may take to start, and events to arrive.
const readersPatience = time.Minute

// openReaders logs in and opens n streams.
func openReaders(ctx context.Context, url string, n int) (*readers, error) {
	api, err := remote.New(remote.Options{URL: url})
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, readersPatience)
	defer cancel()
	var token client.Token
	for {
		token, err = api.Login(waiting, client.Login{Eauth: "sharedsecret", Username: "soak", Password: "soak"}, 0)
		if err == nil {
			break
		}
		if e := timing.Sleep(waiting, 100*time.Millisecond); e != nil {
			return nil, errors.Join(fmt.Errorf("log in at %s: %w", url, err), api.Close())
		}
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	rs := &readers{stop: stop, api: api}
	for range n {
		r := &reader{seen: map[int64]int{}}
		events, err := api.With(token.Token).Events(waiting, "")
		if err != nil {
			return nil, errors.Join(err, rs.close())
		}
		rs.all = append(rs.all, r)
		rs.ends.Go(func() { r.run(running, api.With(token.Token), events) })
	}
	return rs, nil
}

// run reads events and reopens the stream where it broke.
func (r *reader) run(ctx context.Context, api *remote.Client, events *remote.Events) {
	for {
		e, err := events.Next(ctx)
		if err == nil {
			r.take(e)
			continue
		}
		last := events.Last()
		_ = events.Close() // broken
		for {
			if ctx.Err() != nil {
				return
			}
			if events, err = api.Events(ctx, last); err == nil {
				break
			}
			_ = timing.Sleep(ctx, 200*time.Millisecond) // ctx.Err is checked next
		}
		r.mu.Lock()
		r.broken++
		r.mu.Unlock()
	}
}

func (r *reader) take(e client.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Tag {
	case "mom/api/gap":
		r.gaps++
	case soakTag:
		if m, err := e.Data.Map(); err == nil {
			r.seen[m.Int("n")]++
		}
	}
}

// finish waits for the last events and reports lost and doubled ones.
func (rs *readers) finish(ctx context.Context, sent int, fault func(string, ...any)) {
	ctx, cancel := context.WithTimeout(ctx, readersPatience)
	defer cancel()
	for i, r := range rs.all {
		for r.count() < sent && timing.Sleep(ctx, 100*time.Millisecond) == nil {
		}
		r.mu.Lock()
		doubled := 0
		for _, n := range r.seen {
			doubled += n - 1
		}
		if lost := sent - len(r.seen); lost > 0 || doubled > 0 || r.gaps > 0 {
			fault("event stream %d: of %d events %d are lost, %d came twice; %d gaps, reopened %d times", i+1, sent, lost, doubled, r.gaps, r.broken)
		}
		r.mu.Unlock()
	}
}

func (r *reader) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

func (rs *readers) close() error {
	rs.stop()
	rs.ends.Wait()
	return rs.api.Close()
}
