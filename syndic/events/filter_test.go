package events

import (
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

func TestWhichEventsGoUp(t *testing.T) {
	data := func(kv ...any) *wire.Map { return wire.NewMap(kv...) }
	for _, c := range []struct {
		tag           string
		data          *wire.Map
		copy          bool
		sync, cluster bool
	}{
		{tag: "my/tag", data: data("a", 1), sync: true},
		{tag: "salt/auth", data: data("id", "web-1", "result", true), sync: true},
		{tag: "my/tag2", data: data("retcode", 1)},
		{tag: "key", data: data("rotate_aes_key", true)},
		{tag: "syndic/syn-c/my/tag", data: data("a", 1), copy: true},
		{tag: "syndic/syn-c/other", data: data("a", 1)}, // from a bus that does not mark copies
		{tag: "salt/job/" + job(1) + "/ret/web-1", data: data("return", true)},
		{tag: "salt/job/" + job(1) + "/complete", data: data("jid", job(1))},
		{tag: job(1), data: data("minions", []any{"web-1"}), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/new", data: data("jid", job(1)), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/missing", data: data("jid", job(1)), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/prog/web-1/0", data: data("data", "x"), sync: true},
	} {
		raw, err := wire.Encode(c.data)
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[string]bool{"sync": c.sync, "cluster": c.cluster} {
			conf := &config.Master{}
			conf.SyndicMode = mode
			if got := GoesUp(conf, bus.Event{Tag: c.tag, Data: raw, Copy: c.copy}); got != want {
				t.Errorf("%s, mode %s: goes up: %v, want %v", c.tag, mode, got, want)
			}
		}
	}
}

// Events are filtered at the node where they arise, except those a job waits for.
func TestEventsAreFilteredAtTheirSource(t *testing.T) {
	conf := &config.Master{}
	conf.SyndicMode = "sync"
	conf.SyndicEventsWhitelist = []string{"my/*", "salt/auth"}
	conf.SyndicEventsBlacklist = []string{"my/secret/*", "salt/job/*"}
	raw, err := wire.Encode(wire.NewMap("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]bool{
		"my/tag": true, "my/deep/tag": true, "my/secret/x": false, "salt/auth": true, "salt/minion/a/start": false,
		job(1): true, "salt/job/" + job(1) + "/new": true, "salt/job/" + job(1) + "/missing": true, "salt/job/" + job(1) + "/prog/a/0": false,
	} {
		if got := GoesUp(conf, bus.Event{Tag: tag, Data: raw}); got != want {
			t.Errorf("%s goes up: %v, want %v", tag, got, want)
		}
	}
}
