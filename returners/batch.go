package returners

import "fmt"

// Batch is what one transaction stores. Outbox rows of kind return, load and
// expectation must name something of the same batch and are written only if
// that was new (a load or an expectation: new or changed); rows of kind event
// are always written. Notes are entered in their order.
type Batch struct {
	Loads        []Load
	Expectations []Expectation
	Returns      []Return
	Events       []Event
	Outbox       []Item
	Notes        []Note
	// Unsynced is set for what nobody has to wait for a sync of the disk for: it
	// outlives the end of the process at once, and a loss of power together with the
	// next batch that is synced.
	Unsynced bool
}

// Validate reports the first thing of the batch that cannot be stored. Its
// error is ErrInvalid.
func (b Batch) Validate() error {
	for i := range b.Loads {
		if b.Loads[i].JID == "" {
			return fmt.Errorf("load %d of the batch has no jid: %w", i, ErrInvalid)
		}
	}
	for i := range b.Expectations {
		if b.Expectations[i].JID == "" {
			return fmt.Errorf("expectation %d of the batch (node %q) has no jid: %w", i, b.Expectations[i].Node, ErrInvalid)
		}
	}
	for i := range b.Returns {
		if r := &b.Returns[i]; r.JID == "" || r.ID == "" {
			return fmt.Errorf("return %d of the batch needs a jid and a minion id, has %q and %q: %w", i, r.JID, r.ID, ErrInvalid)
		}
	}
	for i := range b.Events {
		if b.Events[i].Tag == "" {
			return fmt.Errorf("event %d of the batch has no tag: %w", i, ErrInvalid)
		}
	}
	for i := range b.Notes {
		if err := b.Notes[i].validate(); err != nil {
			return fmt.Errorf("note %d of the batch %w", i, err)
		}
	}
	return b.validateOutbox()
}

// validateOutbox checks that each owed row names something of the batch.
func (b Batch) validateOutbox() error {
	if len(b.Outbox) == 0 {
		return nil
	}
	type key struct{ kind, jid, id string }
	has := make(map[key]struct{}, len(b.Loads)+len(b.Expectations)+len(b.Returns))
	for i := range b.Loads {
		has[key{KindLoad, b.Loads[i].JID, ""}] = struct{}{}
	}
	for i := range b.Expectations {
		has[key{KindExpectation, b.Expectations[i].JID, b.Expectations[i].Node}] = struct{}{}
	}
	for i := range b.Returns {
		has[key{KindReturn, b.Returns[i].JID, b.Returns[i].ID}] = struct{}{}
	}
	for i := range b.Outbox {
		it := &b.Outbox[i]
		if it.Dest == "" {
			return fmt.Errorf("outbox row %d of the batch has no destination: %w", i, ErrInvalid)
		}
		switch it.Kind {
		case KindEvent:
			if it.Payload == nil {
				return fmt.Errorf("outbox row %d of the batch is an event without payload: %w", i, ErrInvalid)
			}
		case KindReturn, KindLoad, KindExpectation:
			k := key{it.Kind, it.JID, it.ID}
			if it.Kind == KindLoad {
				k.id = ""
			}
			if _, ok := has[k]; !ok {
				return fmt.Errorf("outbox row %d names the %s (%q, %q), which is not in the batch: %w", i, it.Kind, it.JID, it.ID, ErrInvalid)
			}
		default:
			return fmt.Errorf("outbox row %d has the unknown kind %q: %w", i, it.Kind, ErrInvalid)
		}
	}
	return nil
}

// Rows is the number of rows a batch may write.
func (b Batch) Rows() int {
	return len(b.Loads) + len(b.Expectations) + len(b.Returns) + len(b.Events) + len(b.Outbox) + len(b.Notes)
}

// Bytes is about the payload a batch holds in memory.
func (b Batch) Bytes() int {
	n := 0
	for i := range b.Loads {
		n += len(b.Loads[i].Raw)
	}
	for i := range b.Expectations {
		n += 24 * (len(b.Expectations[i].Minions) + 2*len(b.Expectations[i].Missing))
	}
	for i := range b.Returns {
		n += len(b.Returns[i].Full)
	}
	for i := range b.Events {
		n += len(b.Events[i].Data)
	}
	for i := range b.Outbox {
		n += len(b.Outbox[i].Payload)
	}
	for i := range b.Notes {
		n += len(b.Notes[i].Value)
	}
	return n
}

// Result tells what a committed batch changed. NewReturns is aligned with
// Batch.Returns: false means that the pair (jid, id) was stored before.
// NewLoads and NewExpectations likewise: false means that nothing changed.
type Result struct {
	NewReturns      []bool
	NewLoads        []bool
	NewExpectations []bool
}
