package peercall

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// defaultTimeout is Salt's for a request without a timeout.
const defaultTimeout = 5 * time.Second

// publishAndWait starts a job and returns the results that arrived by its end, or by the timeout of
// the request.
func (s *Service) publishAndWait(ctx context.Context, id string, r request) (*wire.Map, error) {
	give, err := s.shares.Take(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("wait for its other jobs: %w", err)
	}
	defer give()
	if !s.waiting.TryTake() {
		return nil, fmt.Errorf("%d minions are waiting for jobs already; try again later", maxWaiting)
	}
	defer s.waiting.Give()
	if r.timeout == 0 {
		r.timeout = defaultTimeout
	}
	j, err := s.start(ctx, id, r)
	if err != nil || j.jid == "" {
		return wire.NewMap(), err
	}
	wait, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	rets, err := s.untilAll(wait, ctx, id, j)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, k := range rets.Keys() {
		minion, _ := k.(string)
		of := rets.Map(minion)
		if r.full {
			out.Set(minion, of)
			continue
		}
		v, _ := of.Get("ret")
		out.Set(minion, v)
	}
	if r.full {
		out.Set("__jid__", j.jid)
	}
	return out, nil
}

// untilAll reads the results when the job has ended or wait is over. The end of a job of the master
// above is not visible here, so it polls for results.
func (s *Service) untilAll(wait, ctx context.Context, id string, j job) (*wire.Map, error) {
	ended := s.o.Bus.Subscribe(bus.SubscribeOptions{Prefix: jobevent.TagComplete(j.jid), Size: 4})
	defer ended.Close()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		rets, err := s.results(ctx, id, j.jid)
		if err != nil {
			return nil, err
		}
		all := true
		for _, m := range j.minions {
			all = all && rets.Has(m)
		}
		if a, known := s.o.State(j.jid); all || wait.Err() != nil || s.started.Contains(j.jid) && known && !a.Open() {
			return rets, nil
		}
		select {
		case <-ended.C():
		case <-again.C:
		case <-wait.Done():
		}
	}
}

// lookAgain is the interval for polling.
const lookAgain = 300 * time.Millisecond
