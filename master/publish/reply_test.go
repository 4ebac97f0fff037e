package publish

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// The reply includes the minions behind nodes, because clients wait for all of them.
func TestReplyNamesMinionsBehindNodes(t *testing.T) {
	for name, c := range map[string]struct {
		node     engine.Liveness
		reports  time.Duration // when n1 sends its expectation; 0: never
		forPlain bool          // publish_syndic_wait
		want     *wire.Map
		took     time.Duration
	}{
		"a node reports":        {engine.Up, 300 * time.Millisecond, false, wire.NewMap("minions", []string{"b1", "m1"}), 300 * time.Millisecond},
		"a silent node":         {engine.Up, 0, false, wire.NewMap("minions", []string{"m1"}, "pending", []string{"n1"}), time.Second},
		"a Python syndic":       {engine.Untracked, 300 * time.Millisecond, false, wire.NewMap("minions", []string{"m1"}, "pending", []string{"n1"}), 0},
		"a Python syndic, wait": {engine.Untracked, 3 * time.Second, true, wire.NewMap("minions", []string{"b1", "m1"}), 3 * time.Second},
		"a silent syndic, wait": {engine.Untracked, 0, true, wire.NewMap("minions", []string{"m1"}, "pending", []string{"n1"}), 4 * time.Second},
		"an unreachable node":   {engine.Down, 0, false, wire.NewMap("minions", []string{"lost", "m1"}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.o.Config.PublishSyndicWait, w.o.Config.SyndicWait = c.forPlain, 4*time.Second
				w.tree = topology.Node{Nodes: []topology.Node{{ID: "n1"}}}
				w.engine = engine.New(engine.Config{Storage: w.store, Now: time.Now})
				defer w.engine.Close()
				save, _, err := w.engine.Publish(t.Context(), engine.Publication{Spec: engine.Job{JID: someJob, Minions: []engine.Minion{{ID: "m1", Live: engine.Up}}, Nodes: []engine.Node{{
					ID: "n1", Live: c.node, Known: func() map[string]string { return map[string]string{"lost": "n1"} },
				}}}})
				if err != nil {
					t.Fatal(err)
				}
				w.engine.Saved(save, returners.Result{}, nil)
				if c.reports > 0 {
					time.AfterFunc(c.reports, func() {
						w.engine.ReceiveReports("n1", jobevent.Expectation{JID: someJob, Minions: []string{"b1"}, Ours: c.node != engine.Untracked})
					})
				}
				began := time.Now()
				j, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"})
				if err != nil {
					t.Fatal(err)
				}
				got := w.reply(t.Context(), j)
				if took := time.Since(began); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				for _, field := range []string{"minions", "pending"} {
					if d := cmp.Diff(c.want.Strings(field), got.Strings(field)); d != "" {
						t.Errorf("%s: %s", field, d)
					}
				}
				if took := time.Since(began); c.reports > took {
					time.Sleep(c.reports - took)
				}
			})
		})
	}
}

// A forwarder does not wait: the requester learns of expectations by events.
func TestReplyToAForwarderDoesNotWait(t *testing.T) {
	w := newWorld(t)
	w.tree = topology.Node{Nodes: []topology.Node{{ID: "n1"}}}
	j, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", someJob), access.By{Owner: "root"})
	if err != nil {
		t.Fatal(err)
	}
	j.fromAbove = true
	if got := w.reply(t.Context(), j).Strings("minions"); len(got) != 1 || got[0] != "m1" {
		t.Errorf("minions %q", got)
	}
}
