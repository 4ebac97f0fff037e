package retention

import (
	"log/slog"
	"sync"
	"time"
)

// Republisher publishes jobs that the previous process had stored but not published when it
// was killed. It does so whenever peers subscribe, for a while after the start. A peer that
// already has a job knows its jid.
type Republisher struct {
	o RepublisherOptions

	mu      sync.Mutex
	records []Record
	until   time.Time
	timer   *time.Timer
	closed  bool
	busy    sync.WaitGroup
}

// gathering is how long subscribers are collected before publishing.
const gathering = 500 * time.Millisecond

// RepublisherOptions configure a [Republisher].
type RepublisherOptions struct {
	// For is how long it works after [Republisher.Start].
	For time.Duration
	// Open reports whether a job is open; others are not published.
	Open func(jid string) bool
	// Publish publishes one record.
	Publish func(Record) error
	Log     *slog.Logger
	Now     func() time.Time // nil = time.Now
}

// NewRepublisher returns a Republisher without records.
func NewRepublisher(o RepublisherOptions) *Republisher {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Republisher{o: o}
}

// Start sets the records to publish.
func (l *Republisher) Start(records []Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records, l.until = records, l.o.Now().Add(l.o.For)
}

// Subscribed schedules a publication. It does not block.
func (l *Republisher) Subscribed() {
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

func (l *Republisher) publish() {
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

// Close cancels a scheduled publication and waits for a running one.
func (l *Republisher) Close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil && l.timer.Stop() {
		l.timer = nil
		l.busy.Done()
	}
	l.mu.Unlock()
	l.busy.Wait()
}
