//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// member is a daemon of the world through its lives.
type member struct {
	role
	w       *World
	station int
	dir     string

	mu     sync.Mutex
	proc   *process
	wanted bool      // it is to run: an end is a fall
	freed  time.Time // when its disk was full last
	peak   int64
}

// disk is the folder whose file system a Disk fault fills.
func (m *member) disk() string { return filepath.Join(m.dir, "var/cache") }

func (m *member) store() string { return filepath.Join(m.dir, "var/cache/salt/master/jobs.db") }

// start begins a life.
func (m *member) start() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.proc != nil && m.proc.running() {
		return nil
	}
	var p *process
	err := m.w.net.within(m.station, func() (err error) {
		p, err = startProcess(m.w.o.Program, m.id, m.kind, m.dir)
		return err
	})
	if err != nil {
		return err
	}
	m.proc, m.wanted = p, true
	m.w.wg.Go(func() { m.guard(p) })
	return nil
}

// guard notes the end of a life that nobody ended, and begins another one, as
// systemd would.
func (m *member) guard(p *process) {
	<-p.done
	m.mu.Lock()
	fell := m.wanted && m.proc == p
	full := diskFull(m.disk()) || m.freed.After(p.started)
	m.mu.Unlock()
	if !fell {
		return
	}
	defer m.w.suffer(Fault{What: Kill, Who: m.id})()
	m.w.note("%s ended by itself: %v (its disk is full: %v)", m.id, p.err, full)
	if !full { // a daemon may refuse to start without any room
		m.w.fall(fmt.Sprintf("%s ended by itself: %v", m.id, p.err))
	}
	if timing.Sleep(m.w.ctx, 500*time.Millisecond) != nil {
		return
	}
	m.mu.Lock()
	again := m.wanted && m.proc == p
	m.mu.Unlock()
	if again {
		if err := m.start(); err != nil {
			m.w.fall(err.Error())
		}
	}
}

// end ends the present life.
func (m *member) end(kill bool) error {
	m.mu.Lock()
	m.wanted = false
	p := m.proc
	m.mu.Unlock()
	if p == nil {
		return nil
	}
	m.measure()
	if kill {
		return p.kill()
	}
	if err := p.stop(patience); err != nil {
		m.w.fall(err.Error()) // a finding, not a reason to give the round up
	}
	return nil
}

func (m *member) signal(s syscall.Signal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.proc == nil {
		return errors.New(m.id + " does not run")
	}
	return m.proc.signal(s)
}

// measure remembers the peak of memory of the present life.
func (m *member) measure() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.proc != nil {
		m.peak = max(m.peak, m.proc.peak())
	}
	return m.peak
}

func diskFull(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "ballast"))
	return err == nil
}

// fill takes all room of the member's disk.
func (m *member) fill() (heal func() error, err error) {
	free, err := fillDisk(m.disk())
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.freed = time.Now()
		return free()
	}, err
}
