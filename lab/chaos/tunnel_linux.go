package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// tunnels is a network of namespaces. Each station has a TUN device whose other end is in this
// process: a switch in user space forwards packets, late or not at all. So faults of the network need
// no kernel module and no tool, and differ per direction of an edge.
type tunnels struct {
	sky   *sky
	cells []*cell    // nil for host: that is our own namespace
	files []*os.File // TUN devices
	late  atomic.Int64
	wg    sync.WaitGroup
}

const (
	mtu = 1500
	// maxLate bounds the delayed packets. Beyond it packets are lost, as in a router.
	maxLate = 8192
)

// newTunnels makes n stations. The calling process must be in a network namespace
// of its own (Enter), which becomes the station host.
func newTunnels(s *sky, n, host int) (_ *tunnels, err error) {
	t := &tunnels{sky: s, cells: make([]*cell, n), files: make([]*os.File, n)}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	for i := range n {
		open := func() (err error) { t.files[i], err = openTunnel(t.address(i, i)); return err }
		if i == host {
			err = open()
		} else if t.cells[i], err = newCell(); err == nil {
			err = t.cells[i].do(open)
		}
		if err != nil {
			return t, fmt.Errorf("station %d: %w", i, err)
		}
	}
	for i := range n {
		t.wg.Go(func() { t.carry(i) })
	}
	return t, nil
}

// openTunnel makes the TUN device of the caller's namespace.
func openTunnel(addr string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	f := func() error {
		r, err := unix.NewIfreq("tun0")
		if err != nil {
			return err
		}
		r.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, r); err != nil {
			return fmt.Errorf("make a TUN device: %w", err)
		}
		for _, args := range [][]string{
			{"link", "set", "lo", "up"},
			{"addr", "add", addr + "/24", "dev", "tun0"},
			{"link", "set", "tun0", "mtu", fmt.Sprint(mtu), "up"},
		} {
			if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
				return fmt.Errorf("ip %v: %w: %s", args, err, out)
			}
		}
		return nil
	}
	if err := f(); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "tun0 of "+addr), nil
}

func (t *tunnels) address(_, to int) string { return fmt.Sprintf("10.17.0.%d", to+1) }

func (t *tunnels) within(station int, f func() error) error {
	if c := t.cells[station]; c != nil {
		return c.do(f)
	}
	return f()
}

// carry forwards the packets of a station until its device is closed.
func (t *tunnels) carry(from int) {
	buf := make([]byte, mtu+64)
	for {
		n, err := t.files[from].Read(buf)
		if err != nil {
			return
		}
		if n < 20 || buf[0]>>4 != 4 {
			continue // IPv6 neighbour discovery
		}
		to := int(buf[19]) - 1
		if buf[16] != 10 || to < 0 || to >= len(t.files) {
			continue
		}
		t.pass(from, to, buf[:n])
	}
}

func (t *tunnels) pass(from, to int, packet []byte) {
	w := t.sky.at(from, to)
	if w == nil {
		_, _ = t.files[to].Write(packet) // a full device drops it, as networks do
		return
	}
	if w.Cut || w.Loss > 0 && rand.Float64() < w.Loss {
		return
	}
	d := w.wait()
	if d <= 0 {
		_, _ = t.files[to].Write(packet)
		return
	}
	if t.late.Add(1) > maxLate {
		t.late.Add(-1)
		return
	}
	p := append([]byte(nil), packet...)
	time.AfterFunc(d, func() {
		_, _ = t.files[to].Write(p)
		t.late.Add(-1)
	})
}

func (t *tunnels) close() error {
	for _, c := range t.cells {
		if c != nil {
			c.close()
		}
	}
	var errs []error
	for _, f := range t.files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	t.wg.Wait()
	return errors.Join(errs...)
}
