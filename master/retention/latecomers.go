package retention

import (
	"log/slog"
	"sync"
	"time"
)

// Latecomers publishes again what an earlier life of this master had stored and
// not yet published when it was killed, each time somebody has subscribed, for a
// while after the start. Whoever has it by then knows it by its jid.
type Latecomers struct {
	o LatecomersOptions

	mu      sync.Mutex
	records []Record
	until   time.Time
	timer   *time.Timer
	closed  bool
	busy    sync.WaitGroup
}

// gathering is how long subscribers are gathered before it is published.
const gathering = 500 * time.Millisecond

// LatecomersOptions say how.
type LatecomersOptions struct {
	// For is how long after [Latecomers.Start].
	For time.Duration
	// Open tells whether a job is still open: others are not published.
	Open func(jid string) bool
	// Publish publishes one.
	Publish func(Record) error
	Log     *slog.Logger
	Now     func() time.Time // nil = time.Now
}

// NewLatecomers has nothing to publish yet.
func NewLatecomers(o LatecomersOptions) *Latecomers {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Latecomers{o: o}
}

// Start tells what is to be published.
func (l *Latecomers) Start(records []Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records, l.until = records, l.o.Now().Add(l.o.For)
}

// Subscribed tells that somebody has come.
func (l *Latecomers) Subscribed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.records) == 0 || l.closed || l.timer != nil {
		return
	}
	if l.o.Now().After(l.until) {
		l.records = nil
		return
	}
	l.busy.Add(1)
	l.timer = time.AfterFunc(gathering, l.publish)
}

func (l *Latecomers) publish() {
	defer l.busy.Done()
	l.mu.Lock()
	records := l.records
	l.timer = nil
	l.mu.Unlock()
	for _, r := range records {
		if !l.o.Open(r.JID) {
			continue
		}
		if err := l.o.Publish(r); err != nil {
			l.o.Log.Error("stored job not published", "jid", r.JID, "err", err)
		}
	}
}

// Close drops what waits and waits for what is being published.
func (l *Latecomers) Close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil && l.timer.Stop() {
		l.timer = nil
		l.busy.Done()
	}
	l.mu.Unlock()
	l.busy.Wait()
}
