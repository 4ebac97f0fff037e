package master

import (
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Minions of Salt's from 3006.12 until 3006.26 sign a return before their event bus
// adds _stamp to it and their channel ts.
func TestReturnsSignedEarly(t *testing.T) {
	for _, c := range []struct {
		name   string
		later  func(*wire.Map) // what is done to the load after it was signed
		stored bool
	}{
		{"as Salt has it", func(*wire.Map) {}, true},
		{"another result", func(l *wire.Map) { l.Set("return", false) }, false},
		{"another job", func(l *wire.Map) { l.Set("jid", "20240102030405678999") }, false},
		{"something added", func(l *wire.Map) { l.Set("out", "raw") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(m *config.Master) { m.RequireMinionSignMessages, m.DropMessagesSignatureFail = true, true })
			r.start()
			m := r.minion("m1", "minion", "minion")
			load := returnOf("m1", someJob, true)
			signed, err := wire.Encode(load)
			if err != nil {
				t.Fatal(err)
			}
			private, _ := goldenPair(t, "minion")
			priv, err := crypt.ParsePrivatePEM([]byte(private), "")
			if err != nil {
				t.Fatal(err)
			}
			sig, err := crypt.Sign(crypt.PKCS1SHA1, priv, signed)
			if err != nil {
				t.Fatal(err)
			}
			load.Set("sig", sig)
			load.Set("_stamp", "2026-11-21T07:45:00.000001")
			c.later(load)
			if _, err := m.send(load); err != nil { // the channel adds nonce, ts and tok
				t.Fatal(err)
			}
			stored := 0
			for _, id := range []string{someJob, "20240102030405678999"} {
				rets, err := r.store.Local().GetReturns(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				for _, ret := range rets {
					if ret.Success { // not an error in its place
						stored++
					}
				}
			}
			if (stored == 1) != c.stored {
				t.Errorf("stored %d", stored)
			}
		})
	}
}
