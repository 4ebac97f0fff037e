package client

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/bus"
)

// A busy master disconnects readers of its event bus before it has sent them anything. A command
// connects again, and fails only if nobody listens.
func TestFollow_CutAsItConnects(t *testing.T) {
	m := startMaster(t)
	dir, err := os.MkdirTemp("", "mc") // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ln, err := net.Listen("unix", filepath.Join(dir, bus.MasterPubName))
	if err != nil {
		t.Fatal(err)
	}
	var ends sync.WaitGroup
	defer ends.Wait()
	defer ln.Close()
	const cuts = 3
	var tries atomic.Int32
	ends.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if tries.Add(1) <= cuts {
				_ = c.Close()
				continue
			}
			real, err := net.Dial("unix", filepath.Join(m.dir, bus.MasterPubName))
			if err != nil {
				t.Error(err)
				_ = c.Close()
				return
			}
			ends.Go(func() { _, _ = io.Copy(c, real); _ = c.Close() })
			ends.Go(func() { _, _ = io.Copy(real, c); _ = real.Close() })
		}
	})
	c := m.client(func(o *Options) { o.Bus.Dir = dir })
	f, err := c.Follow(within(t), ping("*"))
	if err != nil {
		t.Fatalf("after %d attempts: %v", tries.Load(), err)
	}
	defer f.Close()
	m.returns("web-1", true)
	if u, err := f.Next(within(t)); err != nil || u.Return == nil || u.Return.ID != "web-1" {
		t.Errorf("%+v, %v", u, err)
	}
	if n := tries.Load(); n != cuts+1 {
		t.Errorf("%d connections, want %d", n, cuts+1)
	}
	_ = ln.Close()
	if _, err := c.openBus(within(t)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("nobody listens: %v", err)
	}
}
