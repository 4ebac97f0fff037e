package master

import (
	"sync"
	"time"

	"github.com/momtree/mom/master/retention"
)

// latecomers publishes again what an earlier life of this master had stored and
// not yet published when it was killed, each time somebody has subscribed, for a
// while after the start. Whoever has it by then knows it by its jid.
type latecomers struct {
	m *Master

	mu      sync.Mutex
	records []retention.Record
	until   time.Time
	timer   *time.Timer
	closed  bool
	busy    sync.WaitGroup
}

// gathering is how long subscribers are gathered before it is published.
const gathering = 500 * time.Millisecond

func newLatecomers(m *Master) *latecomers { return &latecomers{m: m} }

func (l *latecomers) start(records []retention.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records, l.until = records, time.Now().Add(republishFor)
}

// subscribed tells that somebody has come.
func (l *latecomers) subscribed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.records) == 0 || l.closed || l.timer != nil {
		return
	}
	if time.Now().After(l.until) {
		l.records = nil
		return
	}
	l.busy.Add(1)
	l.timer = time.AfterFunc(gathering, l.publish)
}

func (l *latecomers) publish() {
	defer l.busy.Done()
	l.mu.Lock()
	records := l.records
	l.timer = nil
	l.mu.Unlock()
	for _, r := range records {
		if a, ok := l.m.ledger.State(r.JID); !ok || !a.Open() {
			continue
		}
		if err := l.m.publishAgain(r); err != nil {
			l.m.log.Error("A job that was stored could not be published", "jid", r.JID, "err", err)
		}
	}
}

// close drops what waits and waits for what is being published.
func (l *latecomers) close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil && l.timer.Stop() {
		l.timer = nil
		l.busy.Done()
	}
	l.mu.Unlock()
	l.busy.Wait()
}
