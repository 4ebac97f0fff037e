package sibling

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func key(tb testing.TB) (*rsa.PrivateKey, string) {
	tb.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	return k, crypt.PublicPEM(&k.PublicKey)
}

func TestList_OnlyAsSigned(t *testing.T) {
	priv, pub := key(t)
	_, other := key(t)
	l := List{Parent: "top", At: time.Unix(1700000000, 0), Nodes: []Node{{ID: "a", Host: "10.0.0.1", Port: 4506, Pub: pub, Up: true}}}
	signed, err := l.Sign(priv, pub)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := ReadSigned([]any{signed.Map()})
	if err != nil || len(lists) != 1 || lists[0].Nodes[0] != l.Nodes[0] {
		t.Fatalf("%v, %v", lists, err)
	}
	forged := signed
	forged.Body = append([]byte(nil), signed.Body...)
	forged.Body[len(forged.Body)-1] ^= 1
	foreign := signed
	foreign.Pub = other
	for _, bad := range []Signed{forged, foreign, {Body: signed.Body, Pub: pub}} {
		if _, err := bad.Open(); !errors.Is(err, ErrBad) {
			t.Errorf("believed: %v", err)
		}
	}
}

func TestVoucher_SpeaksForOneKeyOfOneIDAtSiblings(t *testing.T) {
	priv, pub := key(t)
	_, minion := key(t)
	_, thief := key(t)
	now := time.Unix(1700000000, 0)
	lists := []List{{Parent: "top", Nodes: []Node{{ID: "a", Host: "h", Port: 1, Pub: pub}, {ID: "b", Host: "h", Port: 2, Pub: pub}}}}
	make := func(v Voucher) []byte {
		b, err := v.Sign(priv)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := Voucher{ID: "m1", Issuer: "a", Finger: Finger(minion), Made: now, Until: now.Add(time.Hour)}
	if _, err := Check(make(good), "m1", minion, "b", lists, now); err != nil {
		t.Fatal(err)
	}
	ever, stays, future := good, good, good
	future.Made, future.Until = now.Add(time.Hour), now.Add(2*time.Hour)
	ever.Until, stays.To = now.Add(VoucherLife+time.Hour), "b"
	if _, err := CheckTransfer(make(stays), "m1", Finger(minion), "b", lists, now); err != nil {
		t.Error(err)
	}
	for what, text := range map[string][]byte{"for another node": make(func() Voucher { v := stays; v.To = "c"; return v }()), "a voucher": make(good)} {
		if _, err := CheckTransfer(text, "m1", Finger(minion), "b", lists, now); !errors.Is(err, ErrBad) {
			t.Errorf("it may stay by %s: %v", what, err)
		}
	}
	stranger := good
	stranger.Issuer = "c"
	forger, _ := key(t)
	forged, err := good.Sign(forger)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text         []byte
		id, pub, own string
		now          time.Time
	}{
		"another id":          {make(good), "m2", minion, "b", now},
		"another key":         {make(good), "m1", thief, "b", now},
		"too late":            {make(good), "m1", minion, "b", now.Add(time.Hour)},
		"at its issuer":       {make(good), "m1", minion, "a", now},
		"at no sibling":       {make(good), "m1", minion, "x", now},
		"of an unknown node":  {make(stranger), "m1", minion, "b", now},
		"under another's key": {forged, "m1", minion, "b", now},
		"no voucher":          {[]byte("x"), "m1", minion, "b", now},
		"for days":            {make(ever), "m1", minion, "b", now},
		"of the future":       {make(future), "m1", minion, "b", now},
		"for staying":         {make(stays), "m1", minion, "b", now},
	} {
		if _, err := Check(c.text, c.id, c.pub, c.own, lists, c.now); !errors.Is(err, ErrBad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The minions of a dead node spread over its siblings, and keep their choice when another
// sibling comes or goes.
func TestOrder_Spreads(t *testing.T) {
	l := List{}
	for i := range 5 {
		l.Nodes = append(l.Nodes, Node{ID: fmt.Sprint("n", i), Up: true})
	}
	count, moved := map[string]int{}, 0
	for i := range 10000 {
		id := fmt.Sprint("minion-", i)
		first := Order(id, []List{l}, "n0")[0].ID
		count[first]++
		fewer := l
		fewer.Nodes = l.Nodes[:4]
		if again := Order(id, []List{fewer}, "n0")[0].ID; first != "n4" && again != first {
			moved++
		}
	}
	for id, n := range count {
		if n < 2200 || n > 2800 {
			t.Errorf("%s gets %d of 10000", id, n)
		}
	}
	if len(count) != 4 || moved != 0 {
		t.Errorf("%d siblings used, %d minions moved without need", len(count), moved)
	}
	l.Nodes[1].Draining, l.Nodes[2].Up = true, false
	order := Order("m", []List{l, l})
	if len(order) != 4 || order[3].ID != "n2" {
		t.Errorf("got %v", order)
	}
}

func FuzzRead(f *testing.F) {
	list, _ := wire.Encode(wire.NewMap("kind", "siblings", "nodes", []any{wire.NewMap("id", "a", "host", "h", "port", 1)}))
	f.Add([]byte(list))
	inner, _ := wire.Encode(wire.NewMap("kind", "voucher", "id", "m"))
	outer, _ := wire.Encode(wire.NewMap("body", []byte(inner), "sig", []byte{1}))
	f.Add([]byte(outer))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = readList(b)
		_, _, _, _ = ReadVoucher(b)
		v, err := wire.Decode(b)
		if vs, ok := v.([]any); err == nil && ok {
			_, _, _ = ReadSigned(vs)
		}
	})
}

// An invalid entry of a signed list is skipped and reported; the others stay. One entry of
// three is invalid here, in several ways.
func TestList_ABadEntryCostsNoOther(t *testing.T) {
	priv, pub := key(t)
	for _, bad := range []Node{
		{ID: "bad", Host: "h", Port: 70000},
		{ID: "bad", Host: "h"},
		{ID: "bad", Port: 1},
		{Host: "h", Port: 1},
		{ID: "bad", Host: "h\x1b[2J", Port: 1},
		{ID: "../bad", Host: "h", Port: 1},
		{ID: "bad", Host: strings.Repeat("h", maxText), Port: 1},
	} {
		signed, err := List{Parent: "top", Nodes: []Node{{ID: "a", Host: "h", Port: 1, Pub: pub}, bad, {ID: "b", Host: "::1", Port: 65535, Pub: pub}}}.Sign(priv, pub)
		if err != nil {
			t.Fatal(err)
		}
		l, err := signed.Open()
		if err != nil || len(l.Nodes) != 2 || l.Nodes[1].ID != "b" || len(l.Left) != 1 || !errors.Is(l.Left[0], ErrBad) {
			t.Errorf("%.40q: %d nodes, left %v, %v", bad.ID, len(l.Nodes), l.Left, err)
		}
	}
}

func FuzzReadGone(f *testing.F) {
	b, _ := wire.Encode(GoneMaps([]Gone{{ID: "m", By: "n", At: time.Unix(1, 0)}}))
	f.Add([]byte(b))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := wire.Decode(b)
		if vs, ok := v.([]any); err == nil && ok {
			gone, _ := ReadGone(vs)
			again, err := ReadGone(GoneMaps(gone))
			if err != nil || SumGone(again) != SumGone(gone) {
				t.Errorf("%v is read as %v, %v", gone, again, err)
			}
		}
	})
}
