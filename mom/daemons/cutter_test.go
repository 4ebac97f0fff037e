package daemons

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cutter is a way between two hosts that can be cut and mended.
type cutter struct {
	addr, to string

	mu    sync.Mutex
	ln    net.Listener
	conns map[net.Conn]struct{}
	work  sync.WaitGroup
}

func newCutter(t *testing.T, to string) *cutter {
	t.Helper()
	c := &cutter{addr: freeAddr(t), to: to, conns: map[net.Conn]struct{}{}}
	c.mend(t)
	t.Cleanup(c.cut)
	return c
}

func (c *cutter) mend(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", c.addr)
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.ln = ln
	c.mu.Unlock()
	c.work.Go(func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", c.to)
			if err != nil {
				_ = from.Close()
				continue
			}
			c.mu.Lock()
			c.conns[from], c.conns[to] = struct{}{}, struct{}{}
			c.mu.Unlock()
			for _, p := range [][2]net.Conn{{from, to}, {to, from}} {
				c.work.Go(func() {
					_, _ = io.Copy(p[0], p[1])
					_, _ = p[0].Close(), p[1].Close()
				})
			}
		}
	})
}

// cut ends all connections, and lets nobody in.
func (c *cutter) cut() {
	c.mu.Lock()
	_ = c.ln.Close()
	for conn := range c.conns {
		_ = conn.Close()
	}
	clear(c.conns)
	c.mu.Unlock()
	c.work.Wait()
}
