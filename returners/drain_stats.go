package returners

import (
	"maps"
	"time"
)

// DrainStats counts what a Drain did since it was created.
type DrainStats struct {
	Delivered map[Kind]uint64   // rows by kind
	Batches   uint64            // batches stored
	Rejected  uint64            // rows set aside
	Errors    map[string]uint64 // failures by class, see Class
	Down      bool              // the last attempt failed
	LastError string            // of the last failure; "" before the first
	LastAt    time.Time         // time of the last failure
	LastGood  time.Time         // when a batch was last stored successfully
}

// Stats returns a copy of the counters.
func (d *Drain) Stats() DrainStats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stats
	s.Delivered, s.Errors = maps.Clone(s.Delivered), maps.Clone(s.Errors)
	return s
}

// delivered counts stored rows. whole is true if all rows of their batch are stored.
func (d *Drain) delivered(kind Kind, n int, whole bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stats.Delivered == nil {
		d.stats.Delivered = map[Kind]uint64{}
	}
	d.stats.Delivered[kind] += uint64(n)
	d.stats.Batches++
	d.stats.LastGood = d.cfg.Now()
	if d.stats.Down && whole {
		d.stats.Down = false
		d.cfg.Log.Info("delivery from the outbox resumed", "dest", d.cfg.Dest)
	}
}

func (d *Drain) failed(err error, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(err)
	if !d.stats.Down { // once per outage: the counters show the rest
		d.stats.Down = true
		d.cfg.Log.Warn("delivery failed, rows wait in the outbox",
			"dest", d.cfg.Dest, "class", Class(err), "err", err, "retry_in", wait)
	}
}

func (d *Drain) rejected(it Item, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(cause)
	d.stats.Rejected++
	d.cfg.Log.Error("row set aside, its destination rejects it",
		"dest", d.cfg.Dest, "seq", it.Seq, "kind", it.Kind, "jid", it.JID, "minion", it.ID, "class", Class(cause), "err", cause)
}

// note counts an error; the caller holds mu.
func (d *Drain) note(err error) {
	if d.stats.Errors == nil {
		d.stats.Errors = map[string]uint64{}
	}
	d.stats.Errors[Class(err)]++
	d.stats.LastError, d.stats.LastAt = err.Error(), d.cfg.Now()
}
