package api

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

type fakeFollowing struct {
	updates chan client.Update
	closed  chan struct{}
}

func (f *fakeFollowing) Next(ctx context.Context) (client.Update, error) {
	select {
	case u, ok := <-f.updates:
		if !ok {
			return u, client.ErrBusLost
		}
		return u, nil
	case <-f.closed:
		return client.Update{}, client.ErrClosed
	case <-ctx.Done():
		return client.Update{}, ctx.Err()
	}
}

func (f *fakeFollowing) Close() error {
	close(f.closed)
	return nil
}

func (s *fakeSession) Returns(_ context.Context, jid string) iter.Seq2[client.Return, error] {
	return func(yield func(client.Return, error) bool) {
		for id, v := range s.f.trimmed {
			if !yield(client.Return{JID: jid, ID: id, Value: v, Success: true}, nil) {
				return
			}
		}
	}
}

func (s *fakeSession) Trace(ctx context.Context, jid string, _ time.Duration) (trace.Step, error) {
	if err := s.mayRead(ctx, jid); err != nil {
		return trace.Step{}, err
	}
	if s.f.owner[jid] == "" {
		// As a master does: the runner fails, and shows what it has all the same.
		v, err := client.RawOf(trace.Step{Node: "top", State: trace.Unknown}.Map())
		if err != nil {
			return trace.Step{}, err
		}
		return trace.Step{}, &client.RunnerError{Fun: "topology.trace", Reason: "job " + jid + " is not known here", Value: v}
	}
	return trace.Step{
		Node: "top", State: trace.Open, Fun: "test.ping", Expected: 4, Returned: 1, Failed: 1, MissingAll: 1, WaitingAll: 1,
		Missing: []trace.Named{{ID: "web-03", Why: "disconnected", Behind: "syndic-a"}}, Waiting: []trace.Named{{ID: "db-01", Behind: "syndic-a/deep"}},
	}, nil
}

func (s *fakeSession) Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error) {
	name, err := s.who(ctx)
	if err != nil {
		return client.Meant{}, err
	}
	tgt, _ := j.Tgt.(string)
	if !mayStart(name, tgt, j.Fun[0]) {
		return client.Meant{}, refusal("AuthorizationError", "Authorization error occurred.")
	}
	var m client.Meant
	for _, id := range s.matches(j) {
		if m.Count++; m.Count <= limit {
			m.Minions = append(m.Minions, topology.Place{ID: id, Path: "syndic-a", State: topology.Up})
		}
	}
	m.Nodes = []client.MeantBy{{Path: "syndic-a", Count: m.Count}}
	return m, nil
}

func (s *fakeSession) Tree(ctx context.Context) (topology.Node, error) {
	name, err := s.mayRun(ctx)
	if err != nil {
		return topology.Node{}, err
	}
	s.f.mu.Lock()
	s.f.trees = append(s.f.trees, name)
	s.f.mu.Unlock()
	if s.f.holdTree != nil {
		<-s.f.holdTree
	}
	return topology.Node{ID: "top", Role: "master", State: topology.Up, Minions: []topology.Minion{{ID: "top-01", State: topology.Up}}, Nodes: []topology.Node{
		{ID: "lost", Role: "syndic", State: topology.Down, Since: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "syndic-a", Role: "syndic", State: topology.Up, Nodes: []topology.Node{{ID: "deep", Role: "syndic", State: topology.Up, Minions: []topology.Minion{{ID: "db-01", State: topology.Up}}}}},
	}}, nil
}

// allClients are all that there are.
var allClients = []string{"local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "wheel", "wheel_async"}

var errBoom = errors.New("boom: the password is hunter2")
