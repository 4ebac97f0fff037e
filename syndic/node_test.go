package syndic

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
)

var quiet = slog.New(slog.DiscardHandler)

// job returns the id of job n.
func job(n int) string { return fmt.Sprintf("20260301%012d", n) }

// fakeParent is a parent that stores each (jid, minion) once, as a master does.
type fakeParent struct {
	*channeltest.Master

	mu      sync.Mutex
	rows    map[string]int       // "jid/minion" → deliveries
	loads   map[string]*wire.Map // jid → load
	batches []int                // rows of each request
	events  []*wire.Map          // in order of arrival
	refuse  func(jid, id string) bool
	mute    bool // acknowledgements are lost
	notNow  int  // this many requests find the outbox full
}

func startParent(tb testing.TB, rules channeltest.Rules) *fakeParent {
	tb.Helper()
	p := &fakeParent{rows: map[string]int{}, loads: map[string]*wire.Map{}}
	if rules.Handle == nil {
		rules.Handle = map[string]channeltest.Handler{}
	}
	rules.Handle["_syndic_return"] = p.take
	rules.Handle["_minion_event"] = p.hear
	rules.Answer = func(cmd string, reply []byte) []byte {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.mute && cmd == "_syndic_return" {
			return nil
		}
		if p.notNow > 0 && (cmd == "_syndic_return" || cmd == "_minion_event") {
			p.notNow--
			b, _ := wire.Encode(wire.NotNow)
			return b
		}
		return reply
	}
	p.Master = channeltest.Start(tb, rules)
	return p
}

func (p *fakeParent) take(_ string, load *wire.Map) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	if p.notNow > 0 {
		return nil
	}
	for _, v := range load.List("load") {
		j, ok := v.(*wire.Map)
		if !ok {
			return ""
		}
		rets := j.Map("return")
		if p.refuse != nil {
			for _, k := range rets.Keys() {
				if p.refuse(j.String("jid"), k.(string)) {
					return ""
				}
			}
		}
		if l := j.Map("load"); l != nil && l.Len() > 0 {
			p.loads[j.String("jid")] = l
		}
		for _, k := range rets.Keys() {
			p.rows[j.String("jid")+"/"+k.(string)]++
			n++
		}
	}
	p.batches = append(p.batches, n)
	return nil
}

func (p *fakeParent) hear(_ string, load *wire.Map) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.notNow > 0 {
		return nil
	}
	for _, v := range load.List("events") {
		e, _ := v.(*wire.Map)
		p.events = append(p.events, e)
	}
	return nil
}

func (p *fakeParent) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// has returns how often the return of a minion was accepted.
func (p *fakeParent) has(jid, id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows[jid+"/"+id]
}

func (p *fakeParent) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.rows)
}

func (p *fakeParent) heard(tag string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, e := range p.events {
		if e.String("tag") == tag {
			n++
		}
	}
	return n
}

func (p *fakeParent) event(tag string) *wire.Map {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if e.String("tag") == tag {
			return e.Map("data")
		}
	}
	return nil
}

// node is a forwarder between fakes.
type node struct {
	*Syndic
	local  *fakeLocal
	master *fakeMaster
	dir    string
	conf   *config.Syndic
	stop   func()
}

// plant creates a forwarder with short waits. It does not run.
func plant(tb testing.TB, change func(*config.Syndic), parents ...*fakeParent) *node {
	tb.Helper()
	n := &node{local: newFakeLocal(), dir: tb.TempDir(), stop: func() {}}
	n.master = n.local.fakeMaster
	tb.Cleanup(n.local.bus.Close)
	channeltest.WriteKeys(tb, n.dir, "syndic", "minion")
	lower, upper := config.DefaultMaster(), config.DefaultMinion()
	lower.SyndicEventForwardTimeout = 5 * time.Millisecond
	lower.SyndicFailoverAfter, lower.SyndicFailback = 20*time.Millisecond, 20*time.Millisecond
	lower.Cachedir = filepath.Join(n.dir, "cache")
	upper.ID, upper.PkiDir = "syn-a", n.dir
	upper.ReconDefault, upper.ReconMax = 5*time.Millisecond, 20*time.Millisecond
	upper.AuthTimeout, upper.RequestChannelTimeout, upper.RequestChannelTries = time.Second, 2*time.Second, 1
	upper.AcceptanceWaitTime = 10 * time.Millisecond
	upper.Master = nil
	for _, p := range parents {
		upper.Master = append(upper.Master, p.Addr())
	}
	n.conf = &config.Syndic{Local: lower, Upper: upper}
	if change != nil {
		change(n.conf)
	}
	n.revive(tb)
	return n
}

// revive replaces the forwarder, as a restart of the node does.
func (n *node) revive(tb testing.TB) {
	tb.Helper()
	s, err := New(Options{Config: n.conf, Local: n.local, Version: "1.0", Log: quiet})
	if err != nil {
		tb.Fatal(err)
	}
	*s.pace = link.Pace{
		RetryMin: 5 * time.Millisecond, RetryMax: 50 * time.Millisecond, Answer: 300 * time.Millisecond,
		Operator: 50 * time.Millisecond, Report: 50 * time.Millisecond, ReportMin: 5 * time.Millisecond,
		Sweep: 100 * time.Millisecond, Publish: 2 * time.Second, Siblings: 100 * time.Millisecond,
	}
	n.Syndic = s
	tb.Cleanup(func() {
		n.stop()
		_ = s.Close()
	})
}

// run runs the forwarder until the test ends or stop is called.
func (n *node) run(tb testing.TB) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	var once sync.Once
	n.stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				if err != nil {
					tb.Errorf("run: %v", err)
				}
			case <-time.After(patience):
				tb.Error("forwarder still running")
			}
		})
	}
	tb.Cleanup(n.stop)
}

// start runs a forwarder and waits until all parents are up.
func start(tb testing.TB, change func(*config.Syndic), parents ...*fakeParent) *node {
	tb.Helper()
	n := plant(tb, change, parents...)
	n.run(tb)
	n.awaitUp(tb)
	return n
}

func (n *node) awaitUp(tb testing.TB) {
	tb.Helper()
	waiting.Until(tb, "all parents connected", func() bool {
		for _, l := range n.parents.links {
			if !l.IsUp() {
				return false
			}
		}
		return true
	})
}
