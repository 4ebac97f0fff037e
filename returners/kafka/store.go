package kafka

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/broker"
)

const (
	// maxRecord is the largest record sent; topics usually accept less (max.message.bytes).
	maxRecord = 16 << 20
	// maxRound and minRound bound the bytes of one round. A round shrinks while the topic refuses
	// it as a whole.
	maxRound = 768 << 10
	minRound = 16 << 10
	// maxRoundRecords bounds the records of one round.
	maxRoundRecords = 2000
	// recordBytes is an upper bound of what a record needs beside key and value.
	recordBytes = 64
	// pingWait bounds the question why a broker did not answer.
	pingWait = 3 * time.Second
	// pause bounds the pause of the client between two attempts.
	minPause, maxPause = 100 * time.Millisecond, 2 * time.Second
)

// Store is the returner. It is safe for concurrent use; saves run one after the other.
type Store struct {
	o       Options
	options []kgo.Opt

	saving chan struct{} // holds one token; its holder saves

	mu     sync.Mutex
	client *kgo.Client // nil: not open
	round  int         // bytes of a round
	closed bool
}

var _ interface {
	returners.Saver
	returners.EventSaver
} = (*Store)(nil)

// Open checks the options. It does not connect: a broker that is down does not prevent the start.
func Open(o Options) (*Store, error) {
	client, err := o.fill()
	if err != nil {
		return nil, err
	}
	return newStore(o, client), nil
}

func newStore(o Options, client []kgo.Opt) *Store {
	s := &Store{o: o, options: client, saving: make(chan struct{}, 1), round: maxRound}
	s.saving <- struct{}{}
	return s
}

// client returns the settings of the client. Each of its waits ends within o.Timeout.
func (o *Options) client(login sasl.Mechanism, secure *tls.Config) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ClientID("mom"), kgo.SeedBrokers(o.Bootstrap...), kgo.DefaultProduceTopic(o.Topic), kgo.DisableClientMetrics(),
		kgo.RecordPartitioner(byOrder()), kgo.ManualFlushing(), kgo.ProducerBatchMaxBytes(maxRecord), kgo.MaxBufferedRecords(2 * maxRoundRecords),
		kgo.RecordDeliveryTimeout(o.Timeout), kgo.ProduceRequestTimeout(max(o.Timeout/2, 100*time.Millisecond)), kgo.RequestTimeoutOverhead(max(o.Timeout/2, 100*time.Millisecond)),
		kgo.DialTimeout(min(o.Timeout, 10*time.Second)), kgo.RetryTimeout(o.Timeout), kgo.MetadataMinAge(250 * time.Millisecond),
		kgo.RetryBackoffFn(func(tries int) time.Duration { return min(minPause<<min(tries, 10), maxPause) }),
	}
	if login != nil {
		opts = append(opts, kgo.SASL(login))
	}
	switch {
	case o.dial != nil:
		opts = append(opts, kgo.Dialer(o.dial))
	case secure != nil:
		opts = append(opts, kgo.DialTLSConfig(secure))
	}
	return opts
}

// orderKey is the key of [broker.Message.Order] in the context of a record.
type orderKey struct{}

// byOrder returns a partitioner that sends a record to the partition that Kafka's own partitioner
// selects for [broker.Message.Order] as key.
func byOrder() kgo.Partitioner {
	byKey := kgo.StickyKeyPartitioner(nil)
	return kgo.BasicConsistentPartitioner(func(topic string) func(*kgo.Record, int) int {
		t := byKey.ForTopic(topic)
		return func(r *kgo.Record, n int) int {
			order, _ := r.Context.Value(orderKey{}).(string)
			return t.Partition(&kgo.Record{Key: []byte(order)}, n)
		}
	})
}

// Name is "kafka".
func (s *Store) Name() string { return Name }

// SaveEvents sends events. It returns when all are acknowledged by all in-sync replicas, or after
// Options.Timeout. A [*returners.RowsError] says which are stored.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	messages, outcome := broker.OfEvents(events)
	return s.save(ctx, messages, outcome)
}

// SaveReturns sends returns, with JID/ID as key.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	messages, outcome := broker.OfReturns(rets)
	return s.save(ctx, messages, outcome)
}

// Ping asks a broker for its metadata.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	c, err := s.open()
	if err != nil {
		return err
	}
	return s.fault("ping", c.Ping(ctx))
}

// open returns the client.
func (s *Store) open() (*kgo.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("kafka %s: %w", s.o.where(), returners.ErrClosed)
	}
	if s.client == nil {
		c, err := kgo.NewClient(s.options...)
		if err != nil {
			return nil, fmt.Errorf("kafka %s: %w: %w", s.o.where(), returners.ErrUnavailable, err)
		}
		s.client = c
	}
	return s.client, nil
}

// discard closes a client with records that are under way: it would send them later, beside those
// that are sent again.
func (s *Store) discard(c *kgo.Client) {
	s.mu.Lock()
	if s.client == c {
		s.client = nil
	}
	s.mu.Unlock()
	c.Close()
}

// Close closes the connections. A save under way ends. It may be called more than once.
func (s *Store) Close() error {
	s.mu.Lock()
	c := s.client
	s.client, s.closed = nil, true
	s.mu.Unlock()
	if c != nil {
		c.Close()
	}
	return nil
}
