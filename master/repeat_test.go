package master

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// A repeated expectation of a node is acknowledged only after it is stored: otherwise a crash
// would lose it. The store blocks while both requests are here.
func TestRepeatedReportIsAcknowledgedWhenStored(t *testing.T) {
	r := newRig(t, ordersMasters)
	store := newGated(r)
	store.word = true
	r.start()
	r.minion("n1", "syndic", "minion").listen().announce()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	hold := make(chan struct{})
	store.set(nil, hold)
	word := wire.NewMap("minions", []any{"x1", "x2"}, "jid", jid, "mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap()))
	body := r.forge("n1", wire.NewMap("cmd", "_minion_event", "id", "n1", "pretag", "syndic/n1",
		"events", []any{wire.NewMap("tag", jid, "data", word)},
		"nonce", strings.Repeat("b", 32), "ts", time.Now().Unix(), "tok", tokOf(t, "minion")), nil)
	answers := make(chan []byte, 2)
	ask := func() { answers <- r.ask(body) }
	go ask()
	<-store.here // the first is being stored
	go ask()
	eventually(t, "the repeat is here", func() bool { return r.server.Nonces.Waiting() == 1 || len(answers) > 0 })
	if len(answers) != 0 {
		t.Error("the repeat is acknowledged before anything is stored")
	}
	close(hold)
	key, err := r.keys.Sessions.Current("n1")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		frame, err := wire.Bytes(<-answers)
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := key.OpenNonce(frame, strings.Repeat("b", 32)); err != nil || !wire.IsNil(plain) {
			t.Errorf("answered by % x, %v", plain, err)
		}
	}
	xs, err := r.store.Local().GetExpectations(t.Context(), jid)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range xs {
		if x.Node == "n1" && len(x.Minions) == 2 {
			return
		}
	}
	t.Errorf("stored are %+v", xs)
}
