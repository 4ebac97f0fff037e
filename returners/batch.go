package returners

import "fmt"

// Batch is what one transaction stores. Outbox rows of kind return, load and expectation
// must refer to a record of the same batch. They are written only if that record was new,
// or changed for a load or an expectation. Rows of kind event are always written. Notes are
// stored in their order.
type Batch struct {
	Loads        []Load
	Expectations []Expectation
	Returns      []Return
	Events       []Event
	Outbox       []Item
	Notes        []Note
	// Unsynced is set when the batch need not wait for a sync of the disk. It survives the
	// death of the process at once, and a loss of power after the next synced batch.
	Unsynced bool
}

// Validate returns the first fault of the batch, as ErrInvalid.
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

// validateOutbox checks that each outbox row refers to a record of the batch.
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

// Rows returns the number of rows the batch may write.
func (b Batch) Rows() int {
	return len(b.Loads) + len(b.Expectations) + len(b.Returns) + len(b.Events) + len(b.Outbox) + len(b.Notes)
}

// Bytes returns the approximate payload size of the batch in memory.
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

// Result says what a committed batch changed. NewReturns is aligned with Batch.Returns:
// false means that the pair (jid, id) was stored before. NewLoads and NewExpectations are
// aligned likewise; false means that nothing changed.
type Result struct {
	NewReturns      []bool
	NewLoads        []bool
	NewExpectations []bool
}
