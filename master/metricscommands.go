package master

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/master/keys"
)

// commandCount counts one encrypted command.
type commandCount struct {
	served, failed atomic.Uint64
	nanos          atomic.Int64
}

// signInCounts counts sign-ins by outcome.
type signInCounts [keys.Admitted + 1]atomic.Uint64

// tallies are the master's counters that only metrics read.
type tallies struct {
	counts   map[string]*commandCount // complete before the first request
	signedIn signInCounts
}

// counted puts a counter around each handler.
func (m *Master) counted(table map[string]handler) map[string]handler {
	out := make(map[string]handler, len(table))
	m.tallies.counts = make(map[string]*commandCount, len(table))
	for cmd, h := range table {
		c := &commandCount{}
		m.tallies.counts[cmd] = c
		out[cmd] = func(ctx context.Context, r *request) (any, error) {
			begun := time.Now()
			v, err := h(ctx, r)
			c.served.Add(1)
			c.nanos.Add(int64(time.Since(begun)))
			if err != nil {
				c.failed.Add(1)
			}
			return v, err
		}
	}
	return out
}
