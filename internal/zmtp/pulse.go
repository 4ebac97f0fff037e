package zmtp

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// pulse is the heartbeat state of a connection. Only the heart uses silent, excused and pinged.
type pulse struct {
	answers atomic.Bool  // the peer is known to answer PING
	ttl     atomic.Int64 // the peer promised to send something within this time; 0 means no promise
	leased  atomic.Bool  // it has promised that once, and is checked more often
	silent  time.Duration
	excused time.Duration // part of silent in which this process itself was late
	pinged  time.Duration // since the last PING
}

// leaseStep is the interval at which peers with a promise are checked.
const leaseStep = 250 * time.Millisecond

// longestPromise is the maximum of the two-byte time-to-live of a PING.
const longestPromise = math.MaxUint16 * 100 * time.Millisecond

// pingWire returns a PING that promises to send something within ttl, in tenths of a second,
// rounded up.
func pingWire(ttl time.Duration) []byte {
	tenths := (min(ttl, longestPromise) + 100*time.Millisecond - 1) / (100 * time.Millisecond)
	body := binary.BigEndian.AppendUint16(nil, uint16(min(tenths, math.MaxUint16)))
	return appendCommand(nil, zmq4.CmdPing, body)
}

// heart sends heartbeats on the connections of one socket.
type heart struct {
	interval time.Duration // of silence before a PING
	timeout  time.Duration // of silence before the end
	// promise is the time within which we must send something to the peers, even if they send
	// or we are busy; a PING is then sent at each interval. 0 means no promise.
	promise time.Duration
	peers   func(into []*Peer) []*Peer
	// leases lists the leased peers, if they must be checked more often than the others. It may
	// be nil.
	leases func(into []*Peer) []*Peer
	late   *lateness // of this process; nil means that the heart measures it
}

// run sends heartbeats until stop is closed.
func (h heart) run(stop <-chan struct{}) {
	p := h.pace()
	tick := time.NewTicker(p.step)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			p.tick(now)
		}
	}
}

// start runs the heart on a goroutine; calm ends it.
func (h heart) start() (calm func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		h.run(stop)
	}()
	return func() {
		close(stop)
		<-done
	}
}

// pace is the progress of a heart.
type pace struct {
	heart
	round time.Duration // interval between two looks at all peers
	step  time.Duration // interval between two looks at some
	ping  []byte
	seen  []*Peer // buffer for a look
	since span    // the last round
	last  time.Time
}

// span is an elapsed time, and the part of it that does not count against silent peers.
type span struct{ passed, excused time.Duration }

func (h heart) pace() pace {
	p := pace{heart: h, ping: pingWire(h.promise), last: time.Now()}
	if p.late == nil {
		p.late = &lateness{}
	}
	p.round = max(min(h.interval, h.timeout)/8, 5*time.Millisecond)
	p.step = p.round
	if h.leases != nil {
		p.step = min(p.round, leaseStep)
	}
	return p
}

// tick checks the peers that are due.
func (p *pace) tick(now time.Time) {
	// A process that was stopped has not read: its peers are not to blame.
	passed := min(now.Sub(p.last), 2*p.step)
	p.late.note(now.Sub(p.last) - p.step)
	p.last = now
	look := span{passed, p.late.excused(passed)}
	p.since.passed += look.passed
	p.since.excused += look.excused
	all := p.leases == nil || p.since.passed >= p.round
	if all {
		p.seen = p.peers(p.seen[:0])
	} else {
		p.seen = p.leases(p.seen[:0])
	}
	for i, peer := range p.seen {
		if p.leases != nil && peer.pulse.leased.Load() {
			p.beat(peer, look, p.ping)
		} else {
			p.beat(peer, p.since, p.ping)
		}
		p.seen[i] = nil
	}
	if all {
		p.since = span{}
	}
}

func (h heart) beat(p *Peer, look span, ping []byte) {
	// A peer that waits for us is not silent.
	if p.guard.heard.Swap(false) || !p.reading.Load() || p.guard.paused.Load() {
		p.pulse.silent, p.pulse.excused = 0, 0
	} else {
		p.pulse.silent += look.passed
		p.pulse.excused += look.excused
	}
	p.pulse.pinged += look.passed
	ttl := time.Duration(p.pulse.ttl.Load())
	switch silent := p.pulse.silent; {
	//mutant:heartbeat-excuses-own-lateness
	case ttl > 0 && silent >= ttl,
		silent-p.pulse.excused >= h.timeout && p.pulse.answers.Load():
		// On an overloaded machine its answer may be here, unread.
		//mutant:heartbeat-counts-unread-answers
		if unread(p.guard.Conn) {
			p.pulse.silent, p.pulse.excused = 0, 0
			return
		}
		p.close(ErrSilent)
	case p.pulse.pinged >= h.interval && (silent >= h.interval || h.promise > 0):
		p.pulse.pinged = 0
		if err := p.out.put(item{wire: ping}); err != nil {
			p.close(err)
		}
	}
}
