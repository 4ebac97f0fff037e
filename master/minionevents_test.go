package master

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/wire"
)

// hostileTags are tags a malicious minion might fire, and whether m1 may fire them.
var hostileTags = map[string]bool{
	"salt/netapi/hook/deploy": false, "salt/netapi/hook": false, "salt/netapi/hookx": false, "salt/auth": false, "salt/auth/x": false,
	"salt/key": false, "salt/key/": false, "SALT/key": false, "salt//key": false, "salt/key\n": false, "salt/ke\u200by": false, "key": false,
	"salt/presence/present": false, "salt/presence/change": false, "salt/run/" + someJob + "/ret": false, "salt/run/x/new": false,
	"salt/wheel/x/ret": false, "salt/job/" + someJob + "/new": false, "salt/job/" + someJob + "/ret/m2": false, "salt/job/" + someJob + "/ret/m1": false,
	"salt/job/" + someJob + "/prog/m2/0": false, "salt/job": false, someJob: false, "salt/minion/m2/start": false, "salt/minion/m2/../m1/start": false,
	"syndic_start": false, "salt/syndic/m1/start": false, "salt/syndic/x/start": false, "salt/beacon/m2/inotify/x": false, "salt/cloud/x/created": false,
	"salt/stats/x": false, "salt/fileserver/gitfs/update": false, "mom/audit": false, "mom/job/complete": false, "mom/api/end": false, "mom/api/gap": false,
	"topology/down": false, "topology/refused": false, "minion/refresh/m2": false, "salt/event/exit": false, "salt/event/new_client": false,
	"salt/engines/hook/x": false, "salt/reactors/x": false, "salt/batch/x/start": false, "salt/master/x": false, "salt/state_result/x": false,
	"salt/state_result/" + someJob + "/m2/a": false, "auth": false, "new_job": false, "a\x00b": false, "end\n": false,

	"salt/minion/m1/start": true, "minion_start": true, "salt/beacon/m1/load": true, "minion/refresh/m1": true, "my/own/tag": true, "reactor": true,
	"_salt_error": true, "salt/mine/x": true, "salt/schedule/x": true, "salt/api/x": true, "grains_refresh": true, "pillar_refresh": true,
	"fire_master": true, "__fire": true, "netapi": true, "salt/job/" + someJob + "/prog/m1/0": true, "salt/state_result/" + someJob + "/m1/a": true,
}

// Attack: an accepted minion fires events reserved for masters, nodes, the API or other minions:
// alone, in bulk and with a pretag. Permitted events arrive.
func TestMinionEvents_Hostile(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = false })
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	data := func() *wire.Map { return wire.NewMap("post", wire.NewMap("x", "evil"), "id", "m2") }
	var want []string
	bulkOf := []any{}
	for _, tag := range slices.Sorted(maps.Keys(hostileTags)) {
		_, _ = m.send(wire.NewMap("cmd", "_minion_event", "tag", tag, "data", data()))
		bulkOf = append(bulkOf, event(tag, data()))
		if dir, last, ok := strings.Cut(tag, "/"); ok && !hostileTags[tag] && last != "" {
			_, _ = m.send(bulk(dir, event(last, data())))
		}
		if hostileTags[tag] {
			want = append(want, tag, tag)
		}
	}
	_, _ = m.send(bulk(nil, bulkOf...))
	_, _ = m.send(bulk("salt/netapi", event("hook/deploy", data())))
	_, _ = m.send(bulk("mom/api", event("end", data())))
	got := slices.DeleteFunc(events.tags(), func(tag string) bool { return tag == "topology/node/degraded" }) // a busy machine's own
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("fired %q\nwants %q", got, want)
	}
	if r.policy.IsNode("m1") {
		t.Error("the minion has become a node")
	}
	refused := 0
	for _, ok := range hostileTags {
		if !ok {
			refused++
		}
	}
	t.Logf("%d tags, %d of them reserved; fired %d events, all by right", len(hostileTags), refused, len(got))
}

// The id of an event is that of its sender, whatever the minion sends.
func TestMinionEvents_ID(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	m.must(wire.NewMap("cmd", "_minion_event", "tag", "my/tag", "data", wire.NewMap("id", "m2"), "_stamp", "2001-01-01T00:00:00.000000"))
	d := events.find("event", func(e bus.Event) bool {
		return e.Tag == "my/tag" && e.Stamp.Year() > 2001
	})
	if d.String("id") != "m1" || d.Has("_stamp") {
		t.Errorf("event %v", plain(t, d))
	}
}

// A node may fire its own events, but not those reserved for its master.
func TestNodeEvents_Alone(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	for _, tag := range []string{"mom/api/end", daemon.HealthReply, "key", "salt/job/" + someJob + "/complete", "salt/job/" + someJob + "/ret/m1", "a\x00b"} {
		node.must(wire.NewMap("cmd", "_minion_event", "tag", tag, "data", "x"))
		node.must(bulk("syndic/n1", event(tag, wire.NewMap())))
	}
	node.must(wire.NewMap("cmd", "_minion_event", "tag", "salt/syndic/n1/start", "data", "x"))
	node.must(wire.NewMap("cmd", "_minion_event", "tag", "salt/minion/n1/start", "data", "x"))
	events.take("salt/syndic/n1/start")
	events.take("salt/minion/n1/start")
	if left := events.tags(); len(left) != 0 {
		t.Errorf("fired %q", left)
	}
}
