package zmtp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// libzmq is a peer that runs testdata/peer.py. The tests need Debian's python3-zmq, and fail
// without it.
type libzmq struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	in     io.WriteCloser
	stderr bytes.Buffer
}

type options map[string]any

func startPeer(t *testing.T, mode, endpoint string, opts options) *libzmq {
	t.Helper()
	arg, err := json.Marshal(opts)
	if err != nil {
		t.Fatal(err)
	}
	p := &libzmq{cmd: exec.Command("/usr/bin/python3", "testdata/peer.py", mode, endpoint, string(arg))}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start a libzmq peer (python3-zmq must be installed): %v", err)
	}
	p.lines = bufio.NewScanner(out)
	watchdog := time.AfterFunc(60*time.Second, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() {
		watchdog.Stop()
		p.stop()
	})
	return p
}

func (p *libzmq) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// next returns the next line that the peer prints.
func (p *libzmq) next(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		_ = p.cmd.Wait()
		t.Fatalf("libzmq peer ended: %s", p.stderr.String())
	}
	return p.lines.Text()
}

func (p *libzmq) expect(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := p.next(t); got != w {
			t.Errorf("libzmq peer says %s, want %s", got, w)
		}
	}
}

func (p *libzmq) send(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		t.Fatal(err)
	}
}

const steady = `{"connected": 1, "disconnected": 0}`

func TestLibzmqReq(t *testing.T) {
	for name, sockopts := range map[string]options{
		"plain":      {},
		"identity":   {"IDENTITY": "salt-req/minion/m1/0"},
		"correlate":  {"REQ_RELAXED": 1, "REQ_CORRELATE": 1},
		"heartbeats": {"HEARTBEAT_IVL": 100, "HEARTBEAT_TIMEOUT": 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			identities := make(chan string, 100)
			r := newRouter(t, RouterConfig{}, func(q *Request) {
				identities <- q.Peer.Identity()
				echo(q)
			})
			opts := options{"sockopts": sockopts}
			if name == "heartbeats" {
				opts["idle"] = 1500
			}
			p := startPeer(t, "req", "tcp://"+r.Addr().String(), opts)
			p.expect(t, steady)
			want, _ := sockopts["IDENTITY"].(string)
			if got := <-identities; got != want {
				t.Errorf("identity %q, want %q", got, want)
			}
		})
	}
}

// The peer answers our PINGs; otherwise it would be cut.
func TestLibzmqAnswersOurPing(t *testing.T) {
	t.Parallel()
	r := newRouter(t, RouterConfig{HeartbeatInterval: 50 * time.Millisecond, HeartbeatTimeout: 300 * time.Millisecond}, echo)
	p := startPeer(t, "req", "tcp://"+r.Addr().String(), options{"idle": 1500})
	p.expect(t, steady)
	if s := r.Stats(); s.CutSilent != 0 || s.Accepted != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestLibzmqRelaxed(t *testing.T) {
	t.Parallel()
	var held *Request
	r := newRouter(t, RouterConfig{}, func(q *Request) {
		if held == nil {
			held = q
			return
		}
		held.Reply([]byte("stale"))
		q.Reply([]byte("right"))
	})
	p := startPeer(t, "relaxed", "tcp://"+r.Addr().String(), options{"sockopts": options{"REQ_RELAXED": 1, "REQ_CORRELATE": 1}})
	p.expect(t, `"right"`)
}

func TestLibzmqTwins(t *testing.T) {
	t.Parallel()
	r := newRouter(t, RouterConfig{}, echo)
	p := startPeer(t, "twins", "tcp://"+r.Addr().String(), options{"sockopts": options{"IDENTITY": "d"}})
	p.expect(t,
		`[1, "re:first of 1"]`, `[0, "re:first of 0"]`,
		`[0, "re:second of 0"]`, `[1, "re:second of 1"]`)
}

func TestLibzmqSub(t *testing.T) {
	t.Parallel()
	topics := make(chan string, 10)
	p := newPub(t, PubConfig{Filtering: true, OnSubscribe: func(_ *Peer, topic string) { topics <- topic }})
	s := startPeer(t, "sub", "tcp://"+p.Addr().String(), options{"topics": []string{"broadcast", "ae23", "gone"}, "cancel": []string{"gone"}})
	var got []string
	for !slices.Contains(got, "broadcast") || !slices.Contains(got, "ae23") {
		got = append(got, receive(t, topics))
	}
	for _, m := range [][2]string{{"ae23b9", "1"}, {"gone", "2"}, {"syndic", "3"}, {"broadcast", "4 end"}} {
		if err := p.Send(m[0], []byte(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	s.expect(t, `["ae23b9", "1"]`, `["broadcast", "4 end"]`, steady)
}

// A subscriber with its own heartbeats, and one that answers ours, both idle.
func TestLibzmqSubHeartbeats(t *testing.T) {
	t.Parallel()
	p := newPub(t, PubConfig{HeartbeatInterval: 50 * time.Millisecond, HeartbeatTimeout: 300 * time.Millisecond})
	endpoint := "tcp://" + p.Addr().String()
	own := startPeer(t, "sub", endpoint, options{"idle": 1500, "sockopts": options{"HEARTBEAT_IVL": 100, "HEARTBEAT_TIMEOUT": 300}})
	ours := startPeer(t, "sub", endpoint, options{"idle": 1500})
	own.expect(t, `"idled"`)
	ours.expect(t, `"idled"`)
	if err := p.Send("", []byte("the end")); err != nil {
		t.Fatal(err)
	}
	own.expect(t, `["the end"]`, steady)
	ours.expect(t, `["the end"]`, steady)
	if s := p.Stats(); s.CutSilent != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestLibzmqSubReconnects(t *testing.T) {
	t.Parallel()
	p := newPub(t, PubConfig{})
	addr := p.Addr().String()
	s := startPeer(t, "sub", "tcp://"+addr, options{})
	waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 1 })
	if err := p.Send("", []byte("before")); err != nil {
		t.Fatal(err)
	}
	s.expect(t, `["before"]`)
	_ = p.Close()
	var again *Pub
	waiting.Until(t, "bound again", func() (ok bool) {
		var err error
		again, err = ListenPub(addr, PubConfig{})
		return err == nil
	})
	defer again.Close()
	waiting.Until(t, "subscribed again", func() bool { return again.Stats().Subscribers == 1 })
	if err := again.Send("", []byte("after, the end")); err != nil {
		t.Fatal(err)
	}
	s.expect(t, `["after, the end"]`, `{"connected": 2, "disconnected": 1}`)
}

// Our Sub with a libzmq PUB that sends heartbeats, filters, and restarts.
func TestSubOfLibzmq(t *testing.T) {
	t.Parallel()
	opts := options{"sockopts": options{"HEARTBEAT_IVL": 100, "HEARTBEAT_TIMEOUT": 300}}
	p := startPeer(t, "pub", "tcp://127.0.0.1:*", opts)
	var endpoint string
	if err := json.Unmarshal([]byte(p.next(t)), &endpoint); err != nil {
		t.Fatal(err)
	}
	cfg := quickly(DialConfig{
		Identity: "m1", HeartbeatInterval: 50 * time.Millisecond, HeartbeatTimeout: 300 * time.Millisecond, HeartbeatTTL: 300 * time.Millisecond,
	})
	cfg, seen := watched(cfg)
	_, got := startSub(t, endpoint, cfg, "broadcast", "ae23")
	for round := range 2 {
		p.expect(t, `["sub", "\u0001broadcast"]`, `["sub", "\u0001ae23"]`)
		for _, line := range []string{"other|0", "ae23b9|1", "broadcast|2"} {
			p.send(t, line)
		}
		for _, want := range []string{"ae23b9|1", "broadcast|2"} {
			if m := receive(t, got); m != want {
				t.Errorf("got %q, want %q", m, want)
			}
		}
		idle := time.NewTimer(time.Second) // three of libzmq's timeouts, and of our promise
		select {
		case m := <-got:
			t.Errorf("unexpected %q", m)
		case <-idle.C:
		}
		if n, up := seen.connects.Load(), seen.up.Load(); n != int64(round+1) || !up {
			t.Errorf("%d connects, connected %v", n, up)
		}
		if round == 0 {
			p.stop()
			p = startPeer(t, "pub", endpoint, opts)
			p.next(t)
		}
	}
}

// Our Req with a ROUTER and REP of libzmq, several connections at once with one identity, over
// a restart.
func TestReqOfLibzmq(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "router", "tcp://127.0.0.1:*", options{})
	var endpoint string
	if err := json.Unmarshal([]byte(p.next(t)), &endpoint); err != nil {
		t.Fatal(err)
	}
	q := newReq(t, endpoint, quickly(DialConfig{
		Identity: "salt-req/minion/m1", HeartbeatInterval: 50 * time.Millisecond, HeartbeatTimeout: 500 * time.Millisecond,
	}))
	ask := func(body string) error {
		reply, err := q.Do(t.Context(), []byte(body))
		if err == nil && string(reply) != "re:"+body {
			t.Errorf("%.20q: got %.20q", body, reply)
		}
		return err
	}
	done := make(chan error)
	for i := range 8 {
		go func() { done <- ask(strings.Repeat(fmt.Sprint(i), 1+i*50000)) }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	p.stop()
	waiting.Until(t, "noticed", func() bool { return q.Stats().Conns == 0 })
	if err := ask("x"); err == nil {
		t.Error("a reply from a dead router")
	}
	p = startPeer(t, "router", endpoint, options{})
	p.next(t)
	if err := ask("back"); err != nil {
		t.Error(err)
	}
}
