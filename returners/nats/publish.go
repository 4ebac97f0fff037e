package nats

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/broker"
)

// errUntried marks the messages after a failure.
var errUntried = errors.New("not sent")

// save publishes messages in waves. outcome holds the errors of those that have no document.
func (s *Store) save(ctx context.Context, messages []broker.Message, outcome []error) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	select {
	case <-s.saving:
	case <-ctx.Done():
		return s.fault("wait for another save", ctx.Err())
	}
	defer func() { s.saving <- struct{}{} }()
	l, err := s.open()
	if err != nil {
		return err
	}
	rest := broker.Valid(outcome)
	for _, row := range rest {
		outcome[row] = errUntried
	}
	for len(rest) > 0 && err == nil {
		var now []int
		now, rest = wave(messages, rest)
		err = s.publish(ctx, l, messages, now, outcome)
	}
	for row := range outcome {
		if errors.Is(outcome[row], errUntried) {
			outcome[row] = err
		}
	}
	return returners.RowsResult(outcome)
}

// wave takes rows from the front: at most one of each order, and none behind an earlier one of its
// order.
func wave(messages []broker.Message, rows []int) (now, rest []int) {
	taken, size := map[string]bool{}, 0
	for _, row := range rows {
		m := &messages[row]
		full := len(now) > 0 && (len(now) == maxWave || size+len(m.Document) > maxWaveBytes)
		//mutant:nats-one-event-of-a-minion
		if full || taken[m.Order] {
			rest = append(rest, row)
		} else {
			now, size = append(now, row), size+len(m.Document)
		}
		taken[m.Order] = true
	}
	return now, rest
}

// publish publishes one wave, waits for its acknowledgements and sets the outcome of each row. The
// error says why some of them have to be sent again.
func (s *Store) publish(ctx context.Context, l link, messages []broker.Message, rows []int, outcome []error) (again error) {
	acks := make([]jetstream.PubAckFuture, len(rows))
	for i, row := range rows {
		m := &messages[row]
		ack, err := l.stream.PublishMsgAsync(&nats.Msg{Subject: s.o.Subject, Data: m.Document}, jetstream.WithMsgID(m.ID), jetstream.WithRetryAttempts(0))
		acks[i], outcome[row] = ack, s.fault("publish an event", err)
	}
	for i, row := range rows {
		if acks[i] != nil {
			select {
			case <-acks[i].Ok():
				outcome[row] = nil
			case err := <-acks[i].Err():
				outcome[row] = s.fault("publish an event", err)
			case <-ctx.Done():
				outcome[row] = s.fault("publish an event", ctx.Err())
			}
		}
		if err := outcome[row]; err != nil && !errors.Is(err, returners.ErrRejected) {
			outcome[row] = s.explained(l.conn, err)
			again = outcome[row]
		}
	}
	return again
}

// explained adds the reason why there is no connection.
func (s *Store) explained(conn *nats.Conn, err error) error {
	why := conn.LastError()
	var f *returners.Fault
	if conn.IsConnected() || why == nil || !errors.As(err, &f) {
		return err
	}
	return s.fault("publish an event", fmt.Errorf("%w: %w", why, f.Err))
}
