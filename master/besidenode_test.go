package master

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// host is a machine in Salt's layout: a node "syc" with the minion c1 behind it, and a minion with
// the same id and key, connected to this master.
type host struct {
	*rig
	clock        *clock
	node, minion *minion
	events       *recorder
	first        string // first to answer a job: "node" or "minion"
	both         bool   // the minion is connected to the node too
}

func newHost(t *testing.T, first string, both bool, change ...func(*config.Master)) *host {
	h := &host{clock: &clock{at: time.Now()}, rig: newRig(t, append(change, ordersMasters)...), first: first, both: both}
	h.opts.Now = h.clock.now
	h.start()
	h.accept("syc", "syndic")
	eventually(t, "the key seen", func() bool { return h.keys.Accepted("syc") })
	h.admit("syc")
	h.events = h.rig.events()
	h.join()
	h.meet(false)
	return h
}

// join connects the node.
func (h *host) join() {
	behind := []string{"c1"}
	if h.both {
		behind = append(behind, "syc")
	}
	h.node = h.rig.minion("syc", "syndic", "syndic").listen().announce()
	h.node.announceTree(treeOf("syc", topology.Up, behind...))
	eventually(h.t, "the node up", func() bool { return h.liveNode("syc") == engine.Up })
}

// meet connects the minion of the machine.
func (h *host) meet(stock bool) {
	if stock {
		h.stock("syc", "syndic")
		return
	}
	h.minion = h.rig.minion("syc", "minion", "syndic").listen().announce()
	eventually(h.t, "the minion up", func() bool { return h.live("syc") == engine.Up })
}

// run publishes a job, lets the present ones answer, and returns the outcome: who answered, and why
// the others did not.
func (h *host) run(tgt any, kind string) string {
	h.t.Helper()
	jid := h.say(testJob(tgt, kind)).Map("load").String("jid")
	answer := map[string]func(){
		"minion": func() {
			if h.minion != nil {
				h.minion.must(returnOf("syc", jid, true))
			}
		},
		"node": func() {
			if h.node == nil {
				return
			}
			ids := []any{"c1"}
			names := []string{"c1"}
			if h.both && tgt != "c1" {
				ids, names = append(ids, "syc"), append(names, "syc")
			}
			h.node.must(bulk("syndic/syc", event(jid, wire.NewMap("minions", ids, "jid", jid,
				"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
			h.node.must(syndicReturn("syc", jid, names...))
		},
	}
	if tgt == "c1" {
		answer["minion"] = func() {}
	}
	answer[h.first]()
	delete(answer, h.first)
	for _, rest := range answer {
		rest()
	}
	d := h.events.take("salt/job/" + jid + "/complete")
	missing := d.Map("absent")
	var out []string
	for _, k := range missing.Keys() {
		m := missing.Map(k.(string))
		out = append(out, fmt.Sprintf("%s[%s](%s)", k, m.String("reason"), m.String("path")))
	}
	slices.Sort(out)
	return strings.TrimSpace(fmt.Sprintf("%d of %d %s", d.Int("returned"), d.Int("expected"), strings.Join(out, " ")))
}

// shows returns the tree entries of both.
func (h *host) shows() string {
	n := h.Snapshot()
	out := map[string]topology.State{}
	for _, m := range n.Minions {
		out["minion "+m.ID] = m.State
	}
	for _, c := range n.Nodes {
		out["node "+c.ID] = c.State
	}
	var text []string
	for _, k := range slices.Sorted(maps.Keys(out)) {
		text = append(text, k+" "+string(out[k]))
	}
	return strings.Join(text, ", ")
}

// A node and a minion with the same id are independent, in jobs, in the tree and in either order of
// answers. Each is reported missing on its own.
func TestNodeAndMinionOfOneID(t *testing.T) {
	for _, both := range []bool{false, true} {
		for _, first := range []string{"node", "minion"} {
			t.Run(fmt.Sprintf("%s answers first, minion at both %t", first, both), func(t *testing.T) {
				t.Parallel() // mostly waits
				h := newHost(t, first, both)
				check := func(what, shows string, jobs map[string]string) {
					t.Helper()
					eventually(t, what+": the tree shows "+shows, func() bool { return h.shows() == shows })
					for tgt, want := range jobs {
						if got := h.run(tgt, "glob"); got != want {
							t.Errorf("%s: %s gives %s, want %s", what, tgt, got, want)
						}
					}
				}
				check("both up", "minion syc up, node syc up", map[string]string{"c1": "1 of 1", "*": "2 of 2"})

				h.node.mute()
				h.node = nil
				eventually(t, "the node gone", func() bool { return h.liveNode("syc") != engine.Up })
				h.clock.forward(10 * time.Second)
				began := time.Now()
				check("the node is down", "minion syc up, node syc down", map[string]string{
					"c1": "0 of 1 c1[Node not connected](syc)", "*": "1 of 2 c1[Node not connected](syc)",
				})
				if took := time.Since(began); took > 4*time.Second {
					t.Errorf("a job with a dead node took %s: the master waits for it as for an untracked node", took)
				}

				h.join()
				check("the node is back", "minion syc up, node syc up", map[string]string{"c1": "1 of 1", "*": "2 of 2"})

				h.minion.mute()
				h.minion = nil
				eventually(t, "the minion gone", func() bool { return h.live("syc") != engine.Up })
				h.clock.forward(10 * time.Second)
				if both { // the node has the minion and speaks for it
					check("the minion is down", "node syc up", map[string]string{"c1": "1 of 1", "*": "2 of 2"})
				} else {
					check("the minion is down", "minion syc down, node syc up", map[string]string{"c1": "1 of 1", "*": "1 of 2 syc[Not connected]()"})
				}

				h.node.mute()
				h.node = nil
				eventually(t, "both gone", func() bool { return h.liveNode("syc") != engine.Up })
				h.clock.forward(10 * time.Second)
				check("both are down", "minion syc down, node syc down", map[string]string{
					"c1": "0 of 1 c1[Node not connected](syc)", "*": "0 of 2 c1[Node not connected](syc) syc[Not connected]()",
				})
			})
		}
	}
}

// After a restart both are known, before either is back.
func TestNodeAndMinionOfOneIDAfterAStart(t *testing.T) {
	h := newHost(t, "node", false)
	eventually(t, "both written down", func() bool { return h.peers.HasMinion("syc") && h.liveNode("syc") == engine.Up })
	h.stop()
	h.node.mute()
	h.minion.mute()
	h.node, h.minion = nil, nil
	h.open().serve()
	h.events = h.rig.events()
	h.meet(false)
	h.clock.forward(20 * time.Second)
	eventually(t, "the node down in the tree", func() bool { return h.shows() == "minion syc up, node syc down" })
	if got, want := h.run("*", "glob"), "1 of 2 c1[Node not connected](syc)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A stock minion on the node's machine is known by its connection only.
func TestNodeAndStockMinionOfOneID(t *testing.T) {
	h := newHost(t, "node", false)
	h.minion.mute()
	h.minion = nil
	h.meet(true)
	eventually(t, "the stock minion known", func() bool { return h.peers.Minion("syc").Live == engine.Up })
	h.node.mute()
	h.node = nil
	eventually(t, "the node gone", func() bool { return h.liveNode("syc") != engine.Up })
	h.clock.forward(10 * time.Second)
	eventually(t, "the node down in the tree", func() bool { return h.shows() == "minion syc up, node syc down" })
	if got, want := h.run("c1", "glob"), "0 of 1 c1[Node not connected](syc)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
