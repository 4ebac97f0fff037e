package publications

import (
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/returners"
)

// known are the fields of a publication that states of Salt know as keywords (__pub_fun and so on): those in
// STATE_RUNTIME_KEYWORDS of Salt 3006.0, 3006.27, 3007.14 and 3008.2. serial is removed by Salt's decryption.
var known = []string{"fun", "arg", "tgt", "tgt_type", "jid", "ret", "user", "pid", "serial"}

// full is a publication with all fields that a master of a tree adds.
func full(t *testing.T) wire.Publication {
	t.Helper()
	p := narrowed(t, jobfields.TargetList{IDs: []string{"web1"}})
	p.User, p.To, p.HasTo = "root", 5, true
	p.AuthList = wire.Raw{0x90}
	p.Extra.Set(QueueField, 1)
	p.Extra.Set(returners.PartField, 1)
	p.Extra.Set(jobfields.TopsField, []any{"top"})
	p.Extra.Set(jobfields.SignatureField, "x")
	p.Extra.Set("traceparent", "x")
	return p
}

// fields returns the names of the fields of a publication.
func fields(t *testing.T, p wire.Publication) (names []string) {
	t.Helper()
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Fields(b, func(name string, _ wire.Raw) error {
		names = append(names, name)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// A stock minion gets each publication once, without a field that a state does not know; all others get all fields.
// Connections 1 and 2 are stock minions, 3 one of mom, 4 a node, 5 unidentified.
func TestSend_ToStockMinions(t *testing.T) {
	for name, to := range map[string]*zmtp.Choice{
		"all": nil, "all but two": {IDs: map[uint64]bool{2: true, 3: true}, But: true}, "two": {IDs: map[uint64]bool{1: true, 4: true}},
		"none that is stock": {IDs: map[uint64]bool{3: true}}, "stock alone": {IDs: map[uint64]bool{2: true}},
	} {
		w := newWorld(t)
		w.stock, w.known, w.below = map[uint64]bool{1: true, 2: true}, map[uint64]bool{1: true, 2: true, 3: true, 4: true}, map[uint64]bool{4: true}
		p := full(t)
		if _, err := w.Retain(p, nil, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if err := w.sendTo(p, []string{""}, to); err != nil {
			t.Fatal(err)
		}
		for conn := uint64(1); conn <= 5; conn++ {
			selected := to == nil || to.IDs[conn] != to.But
			var got []wire.Publication
			for i, c := range w.picked {
				if c == nil || c.IDs[conn] != c.But {
					got = append(got, w.sealed[i])
				}
			}
			if !selected && len(got) == 0 {
				continue
			}
			if !selected || len(got) != 1 {
				t.Errorf("%s: connection %d gets it %d times", name, conn, len(got))
				continue
			}
			have := fields(t, got[0])
			if w.stock[conn] {
				for _, f := range have {
					if !slices.Contains(known, f) {
						t.Errorf("%s: a stock minion gets the field %s", name, f)
					}
				}
				continue
			}
			for _, f := range []string{channel.SeqField, jobfields.TargetField, jobfields.TopsField, "auth_list", "to"} {
				if !slices.Contains(have, f) {
					t.Errorf("%s: connection %d lacks %s", name, conn, f)
				}
			}
		}
	}
}

// A publication that no syndic could use goes bare to connections that have not answered, too: they are minions.
// Connection 1 has not answered, 2 is one of mom.
func TestSend_ToUnansweredMinions(t *testing.T) {
	for name, send := range map[string]func(*testing.T, *world){
		"without rules": func(t *testing.T, w *world) { w.publish(t, time.Time{}) },
		"with rules where no key may be a node's": func(t *testing.T, w *world) {
			w.leaf = true
			p := full(t)
			if _, err := w.Retain(p, nil, time.Time{}); err != nil {
				t.Fatal(err)
			}
			if err := w.sendTo(p, []string{""}, nil); err != nil {
				t.Fatal(err)
			}
		},
	} {
		w := newWorld(t)
		w.own = map[uint64]bool{2: true}
		send(t, w)
		if len(w.sealed) != 2 {
			t.Fatalf("%s: %d publications", name, len(w.sealed))
		}
		for i, p := range w.sealed {
			first, second := w.picked[i].IDs[1] != w.picked[i].But, w.picked[i].IDs[2] != w.picked[i].But
			if have := fields(t, p); first == second || second != slices.Contains(have, channel.SeqField) || first && slices.Contains(have, "auth_list") {
				t.Errorf("%s: publication %d, to the minion %t, to mom's %t: %v", name, i+1, first, second, have)
			}
		}
	}
}

// Without another peer a publication is encrypted once, with a number that later ones go on from.
func TestSend_StockMinionsAlone(t *testing.T) {
	w := newWorld(t)
	w.stock = map[uint64]bool{}
	for c := range uint64(9) {
		w.stock[c+1] = true
	}
	w.publish(t, time.Time{})
	if len(w.sealed) != 1 || w.sealed[0].Extra != nil {
		t.Fatalf("%d publications, the first with %v", len(w.sealed), w.sealed[0].Extra)
	}
	if head := w.Head(); head != 1 {
		t.Errorf("the head is %d", head)
	}
}

// A publication that is sent again has no more fields than the first.
func TestSendMissed_Fields(t *testing.T) {
	w := newWorld(t)
	plain, err := full(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var sent []byte
	w.again = func(cipher []byte) { sent = cipher }
	if err := w.sendAgain(1, retention.Record{JID: someJob, Pub: plain}, "web1"); err != nil {
		t.Fatal(err)
	}
	opened, err := w.shared.Current().Open(sent)
	if err != nil {
		t.Fatal(err)
	}
	p, err := wire.ParsePublication(opened)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields(t, p) {
		if !slices.Contains(known, f) {
			t.Errorf("a stock minion gets the field %s", f)
		}
	}
}
