package api

import (
	"context"
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
		return trace.Step{Node: "top", State: trace.Unknown}, nil
	}
	return trace.Step{
		Node: "top", State: trace.Open, Fun: "test.ping", Expected: 4, Returned: 1, Failed: 1, MissingAll: 1, WaitingAll: 1,
		Missing: []trace.Named{{ID: "web-03", Why: "disconnected", Behind: "syndic-a"}}, Waiting: []trace.Named{{ID: "db-01", Behind: "syndic-a/deep"}},
	}, nil
}

func (s *fakeSession) Tree(ctx context.Context) (topology.Node, error) {
	if _, err := s.mayRun(ctx); err != nil {
		return topology.Node{}, err
	}
	return topology.Node{ID: "top", Role: "master", State: topology.Up, Minions: []topology.Minion{{ID: "top-01", State: topology.Up}}, Nodes: []topology.Node{
		{ID: "syndic-a", Role: "syndic", State: topology.Up, Nodes: []topology.Node{{ID: "deep", Role: "syndic", State: topology.Up, Minions: []topology.Minion{{ID: "db-01", State: topology.Up}}}}},
	}}, nil
}

// allClients are all that there are.
var allClients = []string{"local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "wheel", "wheel_async"}
