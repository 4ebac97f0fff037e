package localcluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func nest(depth int) wire.Raw { return append(bytes.Repeat([]byte{0x91}, depth), 0xc0) }

// Over three tiers of real masters, results, arguments and events with depths from 1 to 70
// end their job, each with its result or an error with the reason, and do not delay anything
// after them: no batch of the branch is refused forever, even when its nodes are killed. Two
// minions send values of any requested depth, as stock ones may, and a mom minion returns its
// argument.
func TestAnyDepthOverThreeTiers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	var sw *swarm
	s.planted = func() {
		sw = newSwarm(t, s.cluster, "low", 2, time.Millisecond)
		sw.result = func(c *channel.Channel, p wire.Publication) any {
			depth := 0
			_ = wire.Elems(p.Arg, func(_ int, v wire.Raw) error {
				n, err := wire.Int(v)
				depth = int(n)
				return err
			})
			_, err := c.Request(ctx, wire.NewMap("cmd", "_minion_event", "id", c.ID(), "tag", fmt.Sprint("my/depth/", depth), "data", nest(depth)))
			if err != nil && ctx.Err() == nil {
				t.Errorf("an event of depth %d: %v", depth, err)
			}
			return nest(depth)
		}
	}
	spec := staying(localcluster.Spec{ID: "top", Nodes: []localcluster.Spec{{ID: "mid", Nodes: []localcluster.Spec{{ID: "low", Minions: []string{"web-01"}}}}}})
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	sw.start(t, s.cluster, "low")
	all := func(n topology.Node) bool { _, _, up := n.Count(); return up == 3 }
	if err := s.await(ctx, all); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	check := func(what string, j client.Job, want string) {
		t.Helper()
		j.Timeout = 20 * time.Second
		shown, err := s.publish(ctx, j)
		if err != nil || !strings.Contains(shown, want) {
			s.dump(t)
			t.Fatalf("%s: the top's bus says\n%.2000s%v, want %s", what, shown, err, want)
		}
	}
	stock := func(depth int) client.Job {
		return client.Job{Tgt: []string{"s0000", "s0001"}, TgtType: "list", Fun: []string{"test.ping"}, Args: []any{depth}}
	}
	for depth := 1; depth <= 70; depth++ {
		if depth > 3 && depth < 40 && depth%10 != 0 {
			continue // far from any bound
		}
		want := "expected=2 returned=2 failed=0 missing=0"
		if depth > wire.ValueDepth {
			want = "failed=2 missing=0"
		}
		check(fmt.Sprintf("results of depth %d", depth), stock(depth), want)
		echo := client.Job{Tgt: "web-01", Fun: []string{"test.outputter"}, Args: []any{nest(depth)}}
		if depth < wire.ValueDepth { // the list of arguments is one level
			check(fmt.Sprintf("an argument of depth %d", depth), echo, "expected=1 returned=1 failed=0 missing=0")
			continue
		}
		var refused *client.Refused
		if _, err := s.publish(ctx, echo); !errors.As(err, &refused) || !strings.Contains(err.Error(), "nested deeper than 48 levels") {
			t.Errorf("an argument of depth %d: %v", depth, err)
		}
	}
	for _, id := range []string{"low", "mid"} {
		for _, how := range []string{"crash", "heal"} {
			if err := s.change(ctx, how, id); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.await(ctx, all); err != nil {
			s.dump(t)
			t.Fatal(err)
		}
		check("after "+id+" was killed", stock(3), "expected=2 returned=2 failed=0 missing=0")
		check("after "+id+" was killed, too deep", stock(60), "failed=2 missing=0")
	}
}
