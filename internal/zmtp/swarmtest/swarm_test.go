package swarmtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

func TestMain(m *testing.M) {
	if !swarmtest.Playing() {
		goleak.VerifyTestMain(m)
	}
}

// A swarm of subscribers reports when all have a message; a peer gets its reply.
func TestSwarm(t *testing.T) {
	p, err := zmtp.ListenPub("127.0.0.1:0", zmtp.PubConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const n = 300
	s := swarmtest.Start(t, "SUB", n, p.Addr().String())
	waiting.Value(t, "all have subscribed", func() int { return p.Stats().Subscribers }, func(have int) bool { return have >= n })
	for range 2 {
		if err := p.Send("", []byte("to all")); err != nil {
			t.Fatal(err)
		}
		s.Await(t, swarmtest.Received)
	}

	r, err := zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{}, func(q *zmtp.Request) { q.Reply(append([]byte("re:"), q.Body...)) })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := swarmtest.Dial(nil, "REQ", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, body := range []string{"x", string(make([]byte, 1000))} {
		if got, err := c.Do([]byte(body), nil); err != nil || string(got) != "re:"+body {
			t.Errorf("%d bytes came back as %d: %v", len(body), len(got), err)
		}
	}
}
