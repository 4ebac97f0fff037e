package returners

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// loadEvery is how often the load of a growing job is stored. Each slice of a batch changes
// the load, and the load names all minions of the job.
const loadEvery = time.Second

// newest removes loads that need not be stored now. A load with a later one of the same job
// leaves the outbox. A load that was stored a moment ago is stored later.
func (d *Drain) newest(ctx context.Context, items []Item) (now []Item, moved int, err error) {
	last := map[string]int64{}
	for i := range items {
		last[items[i].JID] = items[i].Seq
	}
	at := d.cfg.Now()
	maps.DeleteFunc(d.grown, func(_ string, stored time.Time) bool { return at.Sub(stored) >= loadEvery || at.Before(stored) })
	var replaced []int64
	for _, it := range items {
		stored, rests := d.grown[it.JID]
		switch {
		case it.Seq != last[it.JID]:
			replaced = append(replaced, it.Seq)
		case rests:
			if wait := stored.Add(loadEvery).Sub(at); d.rest == 0 || wait < d.rest {
				d.rest = wait
			}
		default:
			now = append(now, it)
		}
	}
	if len(replaced) > 0 {
		if err := d.from.OutboxAck(ctx, d.cfg.Dest, replaced); err != nil {
			return nil, 0, fmt.Errorf("acknowledge rows for %s: %w", d.cfg.Dest, err)
		}
		d.delivered(KindLoad, len(replaced), true)
	}
	return now, len(replaced), nil
}

// storedLoads records that the loads of growing jobs were stored.
func (d *Drain) storedLoads(items []Item) {
	for i := range items {
		if it := &items[i]; it.Kind == KindLoad && it.Load != nil && it.Load.Part() > 0 {
			d.grown[it.JID] = d.cfg.Now()
		}
	}
}
