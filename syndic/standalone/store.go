package standalone

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

const (
	// rowsPerCommit and bytesPerCommit bound one commit.
	rowsPerCommit  = 500
	bytesPerCommit = 16 << 20
	// storeTimeout bounds one commit attempt. The last one is not cancelled when ctx ends.
	storeTimeout = 30 * time.Second
	// cleanEvery is the interval of the removal of old jobs, cleanStep the number of rows per
	// transaction.
	cleanEvery = 10 * time.Minute
	cleanStep  = 500
)

// write commits queued returns and loads until ctx ends and the queue is empty.
func (l *Local) write(ctx context.Context) {
	for {
		var b returners.Batch
		select {
		case b = <-l.rows:
		case <-ctx.Done():
			select {
			case b = <-l.rows:
			default:
				return
			}
		}
	more:
		for b.Rows() < 2*rowsPerCommit && b.Bytes() < bytesPerCommit {
			select {
			case next := <-l.rows:
				b.Loads = append(b.Loads, next.Loads...)
				b.Returns = append(b.Returns, next.Returns...)
				b.Outbox = append(b.Outbox, next.Outbox...)
			default:
				break more
			}
		}
		l.commit(ctx, b)
	}
}

// commit retries until the batch is stored: there is no other copy. It gives up at shutdown.
func (l *Local) commit(ctx context.Context, b returners.Batch) {
	for wait := retryMin; ; wait = min(2*wait, retryMax) {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		_, err := l.store.Commit(within, b)
		cancel()
		if err == nil {
			break
		}
		l.o.Log.Error("returns not stored", "count", len(b.Returns), "err", err, "retry_in", wait)
		if ctx.Err() != nil {
			l.o.Log.Error("returns lost: not stored at shutdown", "count", len(b.Returns))
			return
		}
		_ = timing.Sleep(ctx, wait)
	}
	select {
	case l.grown <- struct{}{}:
	default:
	}
	for _, r := range b.Returns {
		if l.jobs.returned(r.JID, r.ID) {
			// Makes the forwarder send the job's returns at once.
			c := jobevent.Complete{JID: r.JID}
			tag, data := c.Encode()
			if err := l.bus.FireEvent(bus.Event{Tag: tag, Data: data, Value: c, Stamp: time.Now()}); err != nil {
				l.o.Log.Error("event not fired", "jid", r.JID, "err", err)
			}
		}
	}
}

// clean removes old jobs while the wall clock can be trusted. Jobs with pending returns and
// incomplete jobs stay.
func (l *Local) clean(ctx context.Context) {
	for l.o.Keep > 0 && ctx.Err() == nil {
		if err := l.ages.Save(); err != nil {
			l.o.Log.Error("job expiry not saved, jobs stay longer after a restart", "err", err)
		}
		if err := l.store.Hold(ctx, l.jobs.jids()); err != nil && ctx.Err() == nil {
			l.o.Log.Error("open jobs not locked, removing nothing", "err", err)
			_ = timing.Sleep(ctx, cleanEvery)
			continue
		}
		for ctx.Err() == nil && l.ages.Steady() {
			n, err := l.store.Clean(ctx, l.ages.Now().Add(-l.o.Keep), cleanStep)
			if err != nil && ctx.Err() == nil {
				l.o.Log.Error("old jobs not removed", "err", err)
			}
			if err != nil || n == 0 {
				break
			}
		}
		_ = timing.Sleep(ctx, cleanEvery)
	}
}
