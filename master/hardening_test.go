package master

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
	"github.com/momtree/mom/master/admission"
)

// attack opens n connections to a port, sends the given bytes on each, and keeps them open until
// the test ends or the master closes them.
func attack(t *testing.T, port, n int, say func(i int) []byte) {
	t.Helper()
	var wg sync.WaitGroup
	limit := admission.NewTurns(64)
	for i := range n {
		wg.Go(func() {
			limit.Take()
			defer limit.Give()
			c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), patience)
			if err != nil {
				return // refused
			}
			t.Cleanup(func() { _ = c.Close() })
			_ = c.SetWriteDeadline(time.Now().Add(patience))
			_, _ = c.Write(say(i)) // the connection may be closed meanwhile
		})
	}
	wg.Wait()
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapInuse + s.StackInuse
}

// Strangers of every kind connect to both ports: memory stays flat, and minions are served
// meanwhile and afterwards.
func TestStrangers(t *testing.T) {
	huge := append([]byte{2}, binary.BigEndian.AppendUint64(nil, 1<<40)...)
	garbage := func(i int) []byte {
		b := make([]byte, 200)
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		return b
	}
	r := newRig(t, func(c *config.Master) { c.HandshakeTimeout, c.MaxHandshakes = time.Second, 256 })
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	serve := func(what string) {
		t.Helper()
		jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
		if p := m.hear(); p.JID != jid {
			t.Errorf("%s: heard %s, want %s", what, p.JID, jid)
		}
		if err := m.answer(jid, what); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	serve("before")
	before := heap()
	for _, a := range []struct {
		what string
		n    int
		say  func(kind string) func(int) []byte
	}{
		{"garbage", 500, func(string) func(int) []byte { return garbage }},
		{"garbage behind a greeting", 300, func(string) func(int) []byte {
			return func(i int) []byte { return append(swarmtest.Greeting(), garbage(i)...) }
		}},
		{"frames of 2^40", 300, func(kind string) func(int) []byte {
			return func(int) []byte { return append(swarmtest.Opening(kind), huge...) }
		}},
		{"garbage requests", 300, func(kind string) func(int) []byte {
			return func(i int) []byte {
				return append(swarmtest.Opening(kind), append([]byte{1, 0, 0, 200}, garbage(i)...)...)
			}
		}},
		{"half-open", halfOpen, func(string) func(int) []byte { return func(int) []byte { return []byte{0xff} } }},
	} {
		attack(t, r.ret, a.n, a.say("REQ"))
		attack(t, r.Master.pubPort(), a.n, a.say("SUB"))
		serve(a.what)
	}
	eventually(t, "the strangers dropped", func() bool {
		s := r.Stats()
		return s.Router.Handshaking == 0 && s.Pub.Handshaking == 0 && s.Router.UntrustedBytes == 0
	})
	serve("after")
	if after := heap(); after > before+48<<20 {
		t.Errorf("memory grew from %d to %d MiB", before>>20, after>>20)
	}
	if n := r.Stats().Panics; n != 0 {
		t.Errorf("%d panics", n)
	}
}

// Hundreds of minions sign in at once while another returns: its returns do not wait for the
// sign-ins, and memory stays flat.
func TestSignInStorm(t *testing.T) {
	const storm = 300
	r := newRig(t)
	for i := range storm {
		r.accept(fmt.Sprintf("s%03d", i), "minion2")
	}
	r.start()
	m := r.minion("m1", "minion", "minion")
	body := signInBody(t, "s000", "minion2")
	before := heap()
	var waiting, admitted atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var wg sync.WaitGroup
	reqs := zmtp.NewReq(m.Addr(), zmtp.DialConfig{Log: quiet, MaxConns: storm})
	defer reqs.Close()
	for range storm {
		waiting.Add(1)
		wg.Go(func() {
			defer waiting.Add(-1)
			if b, err := reqs.Do(ctx, body); err == nil && len(b) > 512 {
				admitted.Add(1)
			}
		})
	}
	eventually(t, "the storm there", func() bool { return r.server.Waiting() > storm/3 })
	returns := 0
	for ; waiting.Load() > storm/6; returns++ {
		if err := m.answer(r.jids.Next(), true); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if returns < 20 || admitted.Load() != storm {
		t.Errorf("%d returns were served during the storm, %d of %d admitted", returns, admitted.Load(), storm)
	}
	if after := heap(); after > before+48<<20 {
		t.Errorf("memory grew from %d to %d MiB", before>>20, after>>20)
	}
}

// signInBody encodes a first sign-in request.
func signInBody(t testing.TB, id, key string) []byte {
	t.Helper()
	_, public := goldenPair(t, key)
	load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", id, "nonce", "0123456789abcdef0123456789abcdef",
		"enc_algo", "OAEP-SHA1", "sig_algo", "PKCS1v15-SHA1", "pub", public))
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "clear", Load: load, Version: 3}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A sign-in whose peer has disconnected costs no RSA operation.
func TestSignInHungUp(t *testing.T) {
	r := newRig(t)
	r.accept("m1", "minion")
	r.start()
	for range cap(r.keys.Turns) {
		r.keys.Turns.Take() // all signing slots are busy
	}
	body := signInBody(t, "m1", "minion")
	frame := append([]byte{1, 0, 2}, binary.BigEndian.AppendUint64(nil, uint64(len(body)))...)
	const n = 20
	attackers := make([]net.Conn, n)
	for i := range attackers {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.ret))
		if err != nil {
			t.Fatal(err)
		}
		attackers[i] = c
		if _, err := c.Write(append(append(swarmtest.Opening("REQ"), frame...), body...)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all wait", func() bool { return r.server.Waiting() == n-cap(r.keys.Turns) })
	for _, c := range attackers {
		_ = c.Close()
	}
	eventually(t, "all gone", func() bool { return r.Stats().Router.Peers == 0 })
	events := r.events()
	for range cap(r.keys.Turns) {
		r.keys.Turns.Give()
	}
	eventually(t, "all dropped", func() bool { return r.Stats().HungUp == n })
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("events %v", tags)
	}
}
