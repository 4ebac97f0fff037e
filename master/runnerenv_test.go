package master

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/topology"
)

// run calls a runner as the master's user and returns its result.
func (r *rig) run(ev *recorder, fun string, kwarg *wire.Map) *wire.Map {
	r.t.Helper()
	got := r.say(wire.NewMap("cmd", "runner", "fun", fun, "kwarg", kwarg, "key", rootKey, "user", "root"))
	ret := ev.take(got.String("tag") + "/ret")
	if !ret.Bool("held") {
		return ret
	}
	return r.say(wire.NewMap("cmd", "runner", "result", got.String("jid"), "key", rootKey, "user", "root"))
}

// A password and the token it yields reach only the caller, and neither events nor the audit.
func TestPrivateRunnersAreNotPublished(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	ev := r.events()
	made := r.run(ev, "auth.mk_token", wire.NewMap("username", "frank", "password", "s3cret", "eauth", "sharedsecret"))
	token := made.Map("return").String("token")
	if !made.Bool("success") || len(token) != 64 || made.Map("return").String("name") != "frank" {
		t.Fatalf("the caller has %v", plain(t, made))
	}
	wrong := r.run(ev, "auth.mk_token", wire.NewMap("username", "frank", "password", "s3cret?", "eauth", "sharedsecret"))
	if wrong.Bool("success") || !strings.Contains(wrong.String("return"), "auth.mk_token") {
		t.Errorf("with a wrong password: %v", plain(t, wrong))
	}
	for _, want := range []bool{true, false} {
		if gone := r.run(ev, "auth.del_token", wire.NewMap("arg", []any{token})); gone.Bool("return") != want {
			t.Errorf("del_token: %v", plain(t, gone))
		}
	}
	ev.rest()
	for _, e := range ev.seen {
		if text := string(e.Data); strings.Contains(text, "s3cret") || strings.Contains(text, token) {
			t.Errorf("%s contains %q", e.Tag, text)
		}
	}
}

// event.send refuses the tags reserved for masters and minions.
func TestEventSend_MastersTags(t *testing.T) {
	r := newRig(t)
	r.start()
	ev := r.events()
	if ret := r.run(ev, "event.send", wire.NewMap("tag", "my/tag", "data", wire.NewMap("a", 1))); !ret.Bool("return") {
		t.Errorf("%v", plain(t, ret))
	}
	if d := ev.take("my/tag"); d.Int("a") != 1 {
		t.Errorf("%v", plain(t, d))
	}
	for _, tag := range []string{"salt/auth", "salt/key", "salt/job/20240101000000000001/ret/web1", "minion/refresh/web1", "salt/run/1/ret", "mom/audit", "key", "20240101000000000001"} {
		if ret := r.run(ev, "event.send", wire.NewMap("tag", tag)); ret.Bool("success") || !strings.Contains(ret.String("return"), "choose another") {
			t.Errorf("%s: %v", tag, plain(t, ret))
		}
	}
}

// Reports of a node about minions that are not its own are ignored, and a node that is away is
// named.
func TestKnown_NodesSpeakForTheirs(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("far", "minion", "minion").listen().announce()
	if err := r.data.Put("far", wire.NewMap("where", "here"), nil); err != nil {
		t.Fatal(err)
	}
	syn := r.minion("n1", "syndic", "syndic").listen().announce()
	syn.announceTree(treeOf("n1", topology.Up, "mine"))
	answered := make(chan error, 1)
	go func() {
		for {
			p := <-syn.heard
			q, asks, err := nodecall.FromPublication(p, "n1")
			if !asks {
				continue
			}
			if err == nil {
				lie := wire.NewMap("where", "at the node")
				_, err = syn.send(wire.NewMap("cmd", nodecall.Command, "id", "n1", "ask", q.ID, "value", wire.NewMap(
					"minions", wire.NewMap("far", wire.NewMap("grains", lie), "mine", wire.NewMap("grains", lie), "../x", wire.NewMap("grains", lie)),
					"more", false, "end", "", "away", wire.NewMap("low", "it is gone"))))
			}
			answered <- err
			return
		}
	}()
	minions, away, err := r.env.As("root").Known(context.Background(), runners.Known{Tgt: "*", TgtType: "glob", Grains: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	got := []string{}
	for _, id := range slices.Sorted(maps.Keys(minions)) {
		got = append(got, id+" "+minions[id].Map("grains").String("where"))
	}
	if text := strings.Join(got, ", "); text != "far here, mine at the node" {
		t.Errorf("%s", text)
	}
	if fmt.Sprint(away) != "map[n1/low:it is gone]" {
		t.Errorf("away: %v", away)
	}
}
