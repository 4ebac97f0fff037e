package swarmtest

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// signature is the part of its greeting that libzmq sends before it has received anything.
const signature = 10

// Herd is a number of stock peers that send a request at the same moment. Each opens a
// connection for its request, as a salt-minion does, and follows the order of libzmq, which
// sends ten bytes of its greeting, waits for the server's, and sends the rest. A lost
// connection is made again after a tenth of a second; the request is kept until its timeout.
type Herd struct {
	Addr string
	N    int
	// Body returns the request of each; nil means a few bytes.
	Body func(i int) []byte
	// From returns the local address of each; nil means that the system chooses.
	From func(i int) net.IP
	// Timeout is how long a request is kept; default 60 s (request_channel_timeout).
	Timeout time.Duration
	// Retry is the pause before a reconnect; default 100 ms (ZMQ_RECONNECT_IVL).
	Retry time.Duration
}

// Report is the result of a [Herd].
type Report struct {
	Served int // got a reply
	Lost   int // gave up at the timeout
	Cuts   int // connections that the server closed before the reply
	Failed int // connections that could not be made
	// Last and Median are the times from the start to the replies.
	Last, Median time.Duration
}

func (r Report) String() string {
	return fmt.Sprintf("served %d, lost %d, cut %d, failed %d, median %v, last %v",
		r.Served, r.Lost, r.Cuts, r.Failed, r.Median.Round(time.Millisecond), r.Last.Round(time.Millisecond))
}

// Run sends all requests, and waits until each is answered or given up.
func (h Herd) Run(ctx context.Context) Report {
	if h.Timeout <= 0 {
		h.Timeout = time.Minute
	}
	if h.Retry <= 0 {
		h.Retry = 100 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	took := make([]time.Duration, h.N)
	var cuts, failed atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for i := range h.N {
		all.Go(func() {
			body := []byte("request")
			if h.Body != nil {
				body = h.Body(i)
			}
			for ctx.Err() == nil {
				switch err := h.ask(ctx, i, body); {
				case err == nil:
					took[i] = time.Since(begun)
					return
				case ctx.Err() != nil:
					return
				case errors.Is(err, errConnect):
					failed.Add(1)
				default:
					cuts.Add(1)
				}
				select {
				case <-ctx.Done():
				case <-time.After(h.Retry/2 + rand.N(h.Retry)):
				}
			}
		})
	}
	all.Wait()
	r := Report{Cuts: int(cuts.Load()), Failed: int(failed.Load())}
	slices.Sort(took)
	for _, d := range took {
		if d > 0 {
			r.Served++
		}
	}
	r.Lost = h.N - r.Served
	if r.Served > 0 {
		r.Last, r.Median = took[h.N-1], took[r.Lost+r.Served/2]
	}
	return r
}

var errConnect = errors.New("cannot connect")

// ask makes a connection and sends the request on it.
func (h Herd) ask(ctx context.Context, i int, body []byte) error {
	d := net.Dialer{KeepAlive: -1}
	if h.From != nil {
		d.LocalAddr = &net.TCPAddr{IP: h.From(i)}
	}
	c, err := d.DialContext(ctx, "tcp", h.Addr)
	if err != nil {
		return fmt.Errorf("%w: %w", errConnect, err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	p := &Peer{c, bufio.NewReaderSize(c, 512)}
	opening := Opening("REQ")
	if _, err := c.Write(opening[:signature]); err != nil {
		return err
	}
	if _, err := p.in.Peek(1); err != nil {
		return err
	}
	if _, err := c.Write(opening[signature:greetingSize]); err != nil {
		return err
	}
	if _, err := p.in.Discard(greetingSize); err != nil {
		return err
	}
	// READY follows the server's greeting, the request its READY.
	if _, err := c.Write(opening[greetingSize:]); err != nil {
		return err
	}
	if err := p.ready(); err != nil {
		return err
	}
	_, err = p.Do(body, nil)
	return err
}

// Mutes are peers that connect and send nothing, or only the beginning of a greeting, and
// reconnect whenever they are cut.
type Mutes struct {
	Addr string
	N    int
	From func(i int) net.IP // as in Herd
	Say  []byte             // what each says

	stop context.CancelFunc
	all  sync.WaitGroup
	up   atomic.Int64 // connected at least once
}

// Start connects the peers; they stay until Stop.
func (m *Mutes) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	for i := range m.N {
		m.all.Go(func() {
			d := net.Dialer{KeepAlive: -1}
			if m.From != nil {
				d.LocalAddr = &net.TCPAddr{IP: m.From(i)}
			}
			for first := true; ctx.Err() == nil; {
				if c, err := d.DialContext(ctx, "tcp", m.Addr); err == nil {
					if first {
						m.up.Add(1)
						first = false
					}
					unhook := context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = c.Write(m.Say)
					_, _ = io.Copy(io.Discard, c) // until it is cut off
					unhook()
					_ = c.Close()
				}
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
}

// Up returns how many have been connected.
func (m *Mutes) Up() int { return int(m.up.Load()) }

// Stop disconnects the peers.
func (m *Mutes) Stop() {
	m.stop()
	m.all.Wait()
}

// FromMany returns a separate address for each peer, within 127.1.0.0/16.
func FromMany(i int) net.IP { return net.IPv4(127, 1, byte(i/250), byte(1+i%250)) }

// frame appends a message with one body after the empty frame of a REQ.
func frame(b, body []byte) []byte {
	b = append(b, more, 0, long)
	b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	return append(b, body...)
}
