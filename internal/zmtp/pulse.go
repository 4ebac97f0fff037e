package zmtp

import (
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// pulse is the heartbeat of one connection. Only the beating goroutine touches
// silent and pinged.
type pulse struct {
	answers atomic.Bool  // the peer is known to answer PING
	ttl     atomic.Int64 // the peer promised to be heard within; 0: nothing promised
	silent  time.Duration
	pinged  time.Duration // since the last PING
}

var ping = appendCommand(nil, zmq4.CmdPing, pingBody)

// heart beats for the connections of one socket.
type heart struct {
	interval time.Duration // of silence before a PING
	timeout  time.Duration // of silence before the end
	peers    func(into []*Peer) []*Peer
}

// run beats until stop is closed.
func (h heart) run(stop <-chan struct{}) {
	step := max(min(h.interval, h.timeout)/8, 5*time.Millisecond)
	tick := time.NewTicker(step)
	defer tick.Stop()
	var peers []*Peer
	last := time.Now()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			// A process that was stopped has not listened: its peers are not to blame.
			passed := min(now.Sub(last), 2*step)
			last = now
			peers = h.peers(peers[:0])
			for i, p := range peers {
				h.beat(p, passed)
				peers[i] = nil
			}
		}
	}
}

func (h heart) beat(p *Peer, passed time.Duration) {
	// Whoever waits for our own work is not silent.
	if p.guard.heard.Swap(false) || !p.reading.Load() {
		p.pulse.silent = 0
	} else {
		p.pulse.silent += passed
	}
	p.pulse.pinged += passed
	ttl := time.Duration(p.pulse.ttl.Load())
	switch silent := p.pulse.silent; {
	case ttl > 0 && silent >= ttl,
		silent >= h.timeout && p.pulse.answers.Load():
		p.close(ErrSilent)
	case silent >= h.interval && p.pulse.pinged >= h.interval:
		p.pulse.pinged = 0
		if err := p.out.put(item{wire: ping}); err != nil {
			p.close(err)
		}
	}
}
