package nats

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/broker"
)

const (
	// maxWave and maxWaveBytes bound the messages of one wave.
	maxWave      = 256
	maxWaveBytes = 4 << 20
)

// Store is the returner. It is safe for concurrent use; saves run one after the other.
type Store struct {
	o       Options
	options []nats.Option

	saving chan struct{} // holds one token; its holder saves

	mu     sync.Mutex
	link   // without conn: not open
	closed bool
}

// link is a connection.
type link struct {
	conn   *nats.Conn
	stream jetstream.JetStream
}

var _ interface {
	returners.Saver
	returners.EventSaver
} = (*Store)(nil)

// Open checks the options. It does not connect: a server that is down does not prevent the start.
func Open(o Options) (*Store, error) {
	client, err := o.fill()
	if err != nil {
		return nil, err
	}
	return newStore(o, client), nil
}

func newStore(o Options, client []nats.Option) *Store {
	s := &Store{o: o, options: client, saving: make(chan struct{}, 1)}
	s.saving <- struct{}{}
	return s
}

// Name is "nats".
func (s *Store) Name() string { return Name }

// SaveEvents publishes events. It returns when the stream has acknowledged all, or after
// Options.Timeout. A [*returners.RowsError] says which are stored.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	messages, outcome := broker.OfEvents(events)
	return s.save(ctx, messages, outcome)
}

// SaveReturns publishes returns, with JID/ID as Nats-Msg-Id.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	messages, outcome := broker.OfReturns(rets)
	return s.save(ctx, messages, outcome)
}

// Ping waits for an answer of the server.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	l, err := s.open()
	if err != nil {
		return err
	}
	return s.fault("ping", l.conn.FlushWithContext(ctx))
}

// open returns the connection. It waits for the first one at most for its timeout; afterwards the
// connection goes on trying by itself.
func (s *Store) open() (link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return link{}, fmt.Errorf("nats %s: %w", s.o.where(), returners.ErrClosed)
	}
	if s.conn == nil || s.conn.IsClosed() {
		conn, err := nats.Connect(strings.Join(s.o.Servers, ","), s.options...)
		if err != nil {
			return link{}, s.fault("connect", err)
		}
		stream, err := jetstream.New(conn, jetstream.WithPublishAsyncTimeout(s.o.Timeout/2))
		if err != nil {
			conn.Close()
			return link{}, s.fault("connect", err)
		}
		s.link = link{conn, stream}
	}
	return s.link, nil
}

// Close closes the connection. A save under way ends. It may be called more than once.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn != nil {
		s.conn.Close()
	}
	return nil
}
