package peer

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// A request that its caller gives up before the server's greeting does not count as a
// connection that the server cut.
func TestDo_GivenUpIsNotCut(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts, nothing sends a greeting
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var counts Counts
	d := Dialer{Addr: netip.MustParseAddrPort(ln.Addr().String()), Counts: &counts}
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := d.Do(ctx, []byte("request")); err == nil {
					t.Error("a request that nobody read was answered")
				}
			})
		}
		wg.Wait()
		cancel()
	}
	if n := counts.Cut.Load(); n != 0 {
		t.Errorf("%d connections were cut by a server that did nothing", n)
	}
}
