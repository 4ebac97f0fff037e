package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Requests are what came of the clients.
type Requests struct {
	Kinds   []Kind
	Took    time.Duration
	Refused int    // by 503: the client was told, and sent it again after a while
	Failed  int    // in any other way
	First   string // of those
}

// Kind is one kind of request.
type Kind struct {
	Name          string
	Number        int
	P50, P99, Max time.Duration
}

// kind is how one is sent. Of a hundred requests share are of the kind.
type kind struct {
	name  string
	share int
	send  func(ctx context.Context, w *world, c *http.Client, n int) error
}

// kinds are the mix. The lists grow with what is there, so they are rare.
var kinds = []kind{
	{"POST / test.ping", 94, func(ctx context.Context, w *world, c *http.Client, n int) error {
		id := w.ids().ID(n % w.Minions)
		got, err := w.ping(ctx, c, id)
		if err == nil && got[id] != true {
			err = fmt.Errorf("test.ping of %s: %v", id, got)
		}
		return err
	}},
	{"GET /minions/ID", 4, func(ctx context.Context, w *world, c *http.Client, n int) error {
		return w.do(ctx, c, "GET", "/minions/"+w.ids().ID(n%w.Minions), "", nil)
	}},
	{"GET /minions", 1, func(ctx context.Context, w *world, c *http.Client, _ int) error {
		return w.do(ctx, c, "GET", "/minions", "", nil)
	}},
	{"GET /jobs", 1, func(ctx context.Context, w *world, c *http.Client, _ int) error {
		return w.do(ctx, c, "GET", "/jobs", "", nil)
	}},
}

// kindOf is the kind of the nth request of a client; the clients begin at different places.
func kindOf(client, n int) int {
	at := (n*37 + client*13) % 100
	for i, k := range kinds {
		if at -= k.share; at < 0 {
			return i
		}
	}
	return 0
}

// requests has all clients send, and counts.
func (w *world) requests(ctx context.Context) (Requests, error) {
	var mu sync.Mutex
	var r Requests
	took := make([][]time.Duration, len(kinds))
	began := time.Now()
	var wg sync.WaitGroup
	for i := range w.Clients {
		wg.Go(func() {
			tr := &http.Transport{MaxIdleConnsPerHost: 1}
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr}
			mine := make([][]time.Duration, len(kinds))
			for n := range w.Requests {
				k := kindOf(i, n)
				at := time.Now()
				err := kinds[k].send(ctx, w, c, i+n)
				for errors.Is(err, errBusy) && timing.Sleep(ctx, 200*time.Millisecond) == nil {
					mu.Lock()
					r.Refused++
					mu.Unlock()
					err = kinds[k].send(ctx, w, c, i+n)
				}
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					mu.Lock()
					if r.Failed++; r.Failed == 1 {
						r.First = err.Error()
					}
					mu.Unlock()
					continue
				}
				mine[k] = append(mine[k], time.Since(at))
			}
			mu.Lock()
			defer mu.Unlock()
			for k := range took {
				took[k] = append(took[k], mine[k]...)
			}
		})
	}
	wg.Wait()
	r.Took = time.Since(began)
	for k, all := range took {
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		r.Kinds = append(r.Kinds, Kind{kinds[k].name, len(all), all[len(all)/2], all[len(all)*99/100], all[len(all)-1]})
	}
	return r, ctx.Err()
}
