//go:build !race

package zmtp

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// stacks returns the memory of the stacks of all goroutines.
func stacks() int {
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// beatOnce lets a dialled peer answer a PING.
func (p *rawPeer) beatOnce(t *testing.T) {
	p.say(t, appendCommand(nil, "PING", []byte{0, 0}))
	for {
		h, b := p.frame(t)
		if name, _, err := splitCommand(b); h.command() && err == nil && string(name) == "PONG" {
			return
		}
	}
}

// A process with thousands of peers has a Req and a Sub for each. Both wait on one small stack
// each, also after they have dialled, received and answered.
func TestDialledSocketsWaitOnSmallStacks(t *testing.T) {
	const n, most = 400, 2 * 5 << 10
	routers, asked := fakeServer(t, "ROUTER")
	pubs, heard := fakeServer(t, "PUB")
	hearts := NewHearts()
	defer hearts.Close()
	cfg := DialConfig{Hearts: hearts, HeartbeatInterval: time.Hour, HeartbeatTimeout: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	before := stacks()
	for range n {
		q := NewReq(routers, cfg)
		defer q.Close()
		answered := make(chan error, 1)
		go func() {
			_, err := q.Do(ctx, []byte("hello"))
			answered <- err
		}()
		p := <-asked
		p.frame(t) // the empty one
		p.frame(t)
		p.beatOnce(t)
		p.say(t, message("", "hello"))
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		got := make(chan struct{}, 1)
		s := NewSub(pubs, cfg, nil)
		wg.Go(func() { _ = s.Run(ctx, func([][]byte) { got <- struct{}{} }) })
		p = <-heard
		p.beatOnce(t)
		p.say(t, message("hello"))
		<-got
	}
	if per := (stacks() - before) / n; per > most {
		t.Errorf("%d bytes of stack for a Req and a Sub, want at most %d", per, most)
	}
}
