//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// relays is the network where namespaces are not permitted: every station listens
// on an address of 127.0.0.0/8, and reaches another one through a proxy for just
// this edge. A cut holds bytes back instead of dropping packets, and a lost packet
// is one that comes later, which is what TCP makes of it.
type relays struct {
	sky    *sky
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	ls     []net.Listener
}

// retransmission is how late a lost packet comes.
const retransmission = 200 * time.Millisecond

// newRelays opens proxies for edges; the ports of a station are in ports.
func newRelays(s *sky, edges []edge, ports func(station int) []int) (*relays, error) {
	r := &relays{sky: s}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	for _, e := range edges {
		for _, port := range ports(e.to) {
			l, err := net.Listen("tcp", net.JoinHostPort(r.address(e.from, e.to), strconv.Itoa(port)))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("proxy of an edge: %w", err), r.close())
			}
			r.ls = append(r.ls, l)
			to := net.JoinHostPort(r.address(e.to, e.to), strconv.Itoa(port))
			r.wg.Go(func() { r.accept(l, e, to) })
		}
	}
	return r, nil
}

func (r *relays) address(from, to int) string {
	if from == to {
		return fmt.Sprintf("127.17.0.%d", to+1)
	}
	return fmt.Sprintf("127.17.%d.%d", from+1, to+1)
}

func (r *relays) within(_ int, f func() error) error { return f() }

func (r *relays) accept(l net.Listener, e edge, to string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.serve(c, e, to) })
	}
}

func (r *relays) serve(near net.Conn, e edge, to string) {
	defer near.Close()
	if !r.delay(e.from, e.to) || !r.delay(e.to, e.from) {
		return
	}
	far, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(r.ctx, "tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
	var wg sync.WaitGroup
	wg.Go(func() { defer cancel(); r.copy(far, near, e.from, e.to) })
	wg.Go(func() { defer cancel(); r.copy(near, far, e.to, e.from) })
	wg.Wait()
}

func (r *relays) copy(dst, src net.Conn, from, to int) {
	buf := make([]byte, 16<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 && !r.delay(from, to) {
			return
		}
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			r.delay(from, to) // the end of a connection does not pass a cut either
			return
		}
	}
}

// delay waits as the weather has it; false when the network ends.
func (r *relays) delay(from, to int) bool {
	for {
		turn := r.sky.change()
		w := r.sky.at(from, to)
		if w == nil {
			return r.ctx.Err() == nil
		}
		if w.Cut {
			select {
			case <-turn:
				continue
			case <-r.ctx.Done():
				return false
			}
		}
		d := w.wait()
		if w.Loss > 0 && rand.Float64() < w.Loss {
			d += retransmission
		}
		return timing.Sleep(r.ctx, d) == nil
	}
}

func (r *relays) close() error {
	r.cancel()
	for _, l := range r.ls {
		_ = l.Close()
	}
	r.wg.Wait()
	return nil
}
