package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/broker"
)

// save sends messages in rounds. outcome holds the errors of those that have no document.
func (s *Store) save(ctx context.Context, messages []broker.Message, outcome []error) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	select {
	case <-s.saving:
	case <-ctx.Done():
		return s.fault("wait for another save", ctx.Err())
	}
	defer func() { s.saving <- struct{}{} }()
	c, err := s.open()
	if err != nil {
		return err
	}
	b := batch{s: s, client: c, messages: messages, outcome: outcome}
	if !b.send(ctx, broker.Valid(outcome), s.roundBytes()) {
		// What was not tried has the error of what was.
		for i := range outcome {
			if errors.Is(outcome[i], errUntried) {
				outcome[i] = b.failed
			}
		}
	}
	return returners.RowsResult(outcome)
}

func (s *Store) roundBytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.round
}

// shrink makes rounds smaller: the topic has refused one as too large.
func (s *Store) shrink(from int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round = max(min(s.round, from/2), minRound)
}

// errUntried marks the messages after a failure.
var errUntried = errors.New("not sent")

// batch is one save.
type batch struct {
	s        *Store
	client   *kgo.Client
	messages []broker.Message
	outcome  []error
	failed   error // why the rest was not sent
}

func (b *batch) size(row int) int {
	m := &b.messages[row]
	return len(m.ID) + len(m.Document) + recordBytes
}

// send sends rows in rounds of at most the given bytes, in order. It returns false when the rest
// has to wait.
func (b *batch) send(ctx context.Context, rows []int, limit int) bool {
	for len(rows) > 0 {
		n, bytes := 1, b.size(rows[0])
		for n < len(rows) && n < maxRoundRecords && bytes+b.size(rows[n]) <= limit {
			bytes += b.size(rows[n])
			n++
		}
		refused, err := b.produce(ctx, rows[:n])
		if err != nil {
			b.failed = err
			for _, row := range rows[n:] {
				b.outcome[row] = errUntried
			}
			return false
		}
		if n > 1 && len(refused) > 0 {
			// Record batches were refused, some for the sake of one record: try smaller ones. What
			// was refused goes first, and nothing after it has been sent.
			if b.s.tooLarge(b.outcome[refused[0]]) {
				b.s.shrink(bytes)
			}
			if !b.send(ctx, refused, bytes/2) {
				for _, row := range rows[n:] {
					b.outcome[row] = errUntried
				}
				return false
			}
		}
		rows = rows[n:]
	}
	return true
}

// produce sends one round and waits for its end. It sets the outcome of each row, and returns the
// rows whose record batch was refused. The error says why some of them have to be sent again.
func (b *batch) produce(ctx context.Context, rows []int) (refused []int, again error) {
	type result struct {
		row int
		err error
	}
	results := make(chan result, len(rows)) // never blocks a promise that comes late
	for _, row := range rows {
		m := &b.messages[row]
		r := &kgo.Record{Key: []byte(m.ID), Value: m.Document, Context: context.WithValue(ctx, orderKey{}, m.Order)}
		b.outcome[row] = errUntried
		b.client.Produce(ctx, r, func(_ *kgo.Record, err error) { results <- result{row, err} })
	}
	flushed := make(chan struct{})
	go func() { _ = b.client.Flush(ctx); close(flushed) }() // its error is that of a record
	for n := 0; n < len(rows) && ctx.Err() == nil; n++ {
		select {
		case r := <-results:
			b.outcome[r.row] = b.s.fault("write an event", r.err)
			if r.err != nil && !isAny(r.err, refusals) {
				again = r.err
			}
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil && again == nil {
		again = ctx.Err() // some may not have a result
	}
	if again != nil {
		again = b.s.explained(ctx, b.client, again)
		b.s.discard(b.client)
		<-flushed
		for _, row := range rows {
			if b.outcome[row] != nil { // a refused record batch is tried again too, and smaller
				b.outcome[row] = again
			}
		}
		return nil, again
	}
	<-flushed
	for _, row := range rows {
		if b.outcome[row] != nil {
			refused = append(refused, row)
		}
	}
	return refused, nil
}

// explained adds to a failure what a broker says to a simple question: the client retries until the
// time is up, and does not say why.
func (s *Store) explained(ctx context.Context, c *kgo.Client, err error) error {
	if errors.Is(err, context.Canceled) {
		return s.fault("write events", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(pingWait, s.o.Timeout))
	defer cancel()
	if ping := c.Ping(ctx); ping != nil {
		err = fmt.Errorf("%w: %w", ping, err)
	}
	return s.fault("write events", err)
}

// tooLarge reports whether a record batch was refused for its size.
func (s *Store) tooLarge(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge)
}
