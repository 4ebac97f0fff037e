package master

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
)

// bomb returns a list of n empty maps: a byte each on the wire, a hundred in memory.
func bomb(n int) wire.Raw {
	return append(binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n)), strings.Repeat("\x80", n)...)
}

// made returns the bytes that fn allocates in total.
func made(fn func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A stranger's clear load of a quarter of a million empty maps (a million in `make slow`) is
// checked without decoding it, for every command: four at once cost no more than their bytes. The
// same load in a sign-in is refused before it waits for its turn. If it is within the byte limit of
// a sign-in, it is refused afterwards, for its number of values.
func TestBombs_OfStrangers(t *testing.T) {
	r := newRig(t)
	r.start()
	const values, at = bombValues, 4
	list, short := bomb(values), bomb(keys.MaxAuth-4096)
	req := zmtp.NewReq(fmt.Sprintf("127.0.0.1:%d", r.ret), zmtp.DialConfig{Log: quiet, MaxConns: at})
	defer req.Close()
	for _, load := range []*wire.Map{
		wire.NewMap("cmd", "ping", "x", list),
		wire.NewMap("cmd", "publish", "tgt", "*", "fun", "test.ping", "arg", list, "user", "root", "key", "guessed"),
		wire.NewMap("cmd", "publish", "tgt", "*", "fun", list, "user", list, "key", list),
		wire.NewMap("cmd", "runner", "fun", "jobs.active", "kwarg", wire.NewMap("x", list), "key", "guessed"),
		wire.NewMap("cmd", "wheel", "fun", "key.list_all", "x", list, "key", "guessed"),
		wire.NewMap("cmd", "mk_token", "x", list),
		wire.NewMap("cmd", "get_token", "token", list),
		wire.NewMap("cmd", "made up", "x", list),
		wire.NewMap("cmd", list, "x", 1),
		wire.NewMap("cmd", "_auth", "id", "m1", "autosign_grains", wire.NewMap("x", list), "pub", "p"),
		wire.NewMap("cmd", "_auth", "id", list, "pub", "p"),
		wire.NewMap("cmd", "_auth", "id", "m1", "autosign_grains", wire.NewMap("x", short), "pub", "p", "nonce", wire.NewNonce()),
	} {
		cmd := load.String("cmd")
		raw, err := wire.Encode(load)
		if err != nil {
			t.Fatal(err)
		}
		body, err := wire.Envelope{Enc: "clear", Load: raw, Version: 3}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		n := made(func() {
			var wg sync.WaitGroup
			for range at {
				wg.Go(func() {
					if _, err := req.Do(t.Context(), body); err != nil {
						t.Errorf("%s: %v", cmd, err)
					}
				})
			}
			wg.Wait()
		})
		if most := int64(at * 4 * len(body)); n > most { // received twice, and sent
			t.Errorf("%s: %d KiB were made of %d requests of %d KiB", cmd, n>>10, at, len(body)>>10)
		}
	}
}

// Requests of an accepted minion with too many values are refused, and other large ones take turns.
// Returns may have any number of values, because they are not decoded.
func TestBombs_OfAMinion(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	for _, load := range []*wire.Map{
		wire.NewMap("cmd", "_pillar", "id", "m1", "grains", bomb(server.MaxValues+1), "saltenv", "base", "pillarenv", "base", "pillar_override", wire.NewMap(), "ver", "2"),
		wire.NewMap("cmd", "_master_opts", "id", "m1", "x", bomb(server.MaxValues+1)),
		wire.NewMap("cmd", "_presence", "id", "m1", "session", bomb(server.MaxValues+1)),
	} {
		var err error
		n := made(func() { _, err = m.send(load) })
		if n > 20<<20 {
			t.Errorf("%s: %d MiB were made, %v", load.String("cmd"), n>>20, err)
		}
	}
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	n := made(func() {
		if _, err := m.send(wire.NewMap("cmd", "_return", "id", "m1", "jid", jid, "fun", "test.ping", "fun_args", []any{}, "retcode", 0,
			"success", bomb(server.MaxValues), "return", bomb(server.MaxValues*2))); err != nil {
			t.Error(err)
		}
	})
	if len(stored(t, r, jid)) != 1 {
		t.Error("its large return is not stored")
	}
	if n > 100<<20 {
		t.Errorf("%d MiB were made of a return of %d", n>>20, 3*server.MaxValues>>20)
	}
}

// The memory of decoded requests in progress is limited in total. A request without room waits, and
// is refused as temporary after a time.
func TestBombs_TakeTurns(t *testing.T) {
	r := newRig(t).open()
	at, done := make(chan struct{}), make(chan struct{})
	r.server.Add(server.Command{Name: "fill", Who: server.Peer, Doc: "Is at work, and fills it."}, func(context.Context, *server.Request) (any, error) {
		close(at)
		<-done
		return nil, nil
	})
	r.serve()
	m := r.minion("m1", "minion", "minion")
	filled := make(chan error, 1)
	go func() {
		_, err := m.send(wire.NewMap("cmd", "fill", "id", "m1", "x", bomb(server.MaxValues-100)))
		filled <- err
	}()
	<-at
	type answer struct {
		v   any
		err error
	}
	got := make(chan answer, 1)
	go func() {
		v, err := m.send(wire.NewMap("cmd", "_master_opts", "id", "m1", "x", bomb(5000)))
		got <- answer{v, err}
	}()
	if _, err := m.send(wire.NewMap("cmd", "_master_opts", "id", "m1")); err != nil {
		t.Errorf("a small one waits: %v", err)
	}
	select {
	case a := <-got:
		t.Fatalf("it did not wait: %v", a)
	case <-time.After(50 * time.Millisecond):
	}
	close(done)
	if err := <-filled; err != nil {
		t.Error(err)
	}
	if a := <-got; a.err != nil {
		t.Error(a.err)
	}
}
