package master

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// TestUnserved_InThePillar: where the configuration names sources of a pillar or of
// states, each minion gets the error by which Salt's refuses to apply states and which
// pillar.items shows; where it names none, the empty pillar is the truth. What -I
// looks at has no errors in it.
func TestUnserved_InThePillar(t *testing.T) {
	const noPillar = "this master (mom) serves no pillar: pillar_roots at the master has no effect"
	const noFiles = "this master (mom) does not serve the files or states of gitfs_remotes, which has no effect"
	roots := map[string]any{"base": []any{"/srv/x"}}
	for name, c := range map[string]struct {
		raw  map[string]any
		want any
	}{
		"nothing is configured": {nil, nil},
		"empty options":         {map[string]any{"pillar_roots": map[string]any{}, "file_roots": nil}, nil},
		"pillar":                {map[string]any{"pillar_roots": roots}, []any{noPillar}},
		"both":                  {map[string]any{"pillar_roots": roots, "file_roots": roots, "gitfs_remotes": []any{"x"}}, []any{noPillar, noFiles}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(cfg *config.Master) { cfg.Raw, cfg.MinionDataCache = c.raw, true })
			r.open().unserved.Find(r.cfg, "/nonexistent")
			r.serve()
			m := r.minion("m1", "minion", "minion")
			raw, err := m.Pillar(t.Context(), channel.PillarRequest{Grains: wire.NewMap("a", "b")})
			if err != nil {
				t.Fatal(err)
			}
			p, err := wire.DecodeMap(raw)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := p.Get("_errors")
			if !cmp.Equal(got, c.want) {
				t.Error(cmp.Diff(c.want, got))
			}
			if d := r.data.Get("m1"); d == nil || strings.Contains(fmt.Sprint(d.Pillar), "_errors") {
				t.Errorf("the data cache holds %v", d)
			}
		})
	}
}

// TestUnserved_WhatTheMinionShows: the answers are such that Salt's minion prints the
// text as the result of mine.get, publish.publish, publish.full_data and
// publish.runner; the log names the minion and what it asked for.
func TestUnserved_WhatTheMinionShows(t *testing.T) {
	r := newRig(t)
	var log logged
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.start()
	m := r.minion("m1", "minion", "minion")
	for cmd, want := range map[string]any{
		"_mine_get":     "ERROR: the mine is not served by this master (mom)",
		"minion_runner": "ERROR: publish.runner is not served by this master (mom)",
	} {
		if got := m.must(wire.NewMap("cmd", cmd, "fun", "manage.up", "tgt", "*")); !cmp.Equal(got, want) {
			t.Errorf("%s: %v", cmd, got)
		}
	}
	// publish.publish of Salt's asks for the results of the job that it is told of, from
	// all minions it is told of, and shows what stands under "ret" of each.
	pub, _ := m.must(wire.NewMap("cmd", "minion_pub", "fun", "test.ping", "tgt", "*")).(*wire.Map)
	rets, _ := m.must(wire.NewMap("cmd", "pub_ret", "jid", pub.String("jid"))).(*wire.Map)
	for _, id := range wire.Texts(pub.List("minions")) {
		if got := rets.Map(id).String("ret"); got != "ERROR: publish.publish is not served by this master (mom)" {
			t.Errorf("%q: %v", id, rets)
		}
	}
	if rets.Len() != 1 || len(pub.List("minions")) != 1 {
		t.Errorf("%v %v", pub, rets)
	}
	m.must(wire.NewMap("cmd", "_mine_delete", "fun", "network.ip_addrs"))
	for _, want := range []string{`what=mine cmd=_mine_get ids=m1`, `what=publish.publish cmd=minion_pub ids=m1`, `what=mine cmd=_mine_delete ids=m1 requests=1 about=network.ip_addrs`} {
		eventually(t, want, func() bool { return strings.Contains(log.text(), want) })
	}
}
