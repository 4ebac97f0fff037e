package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/returners"
)

// Store is the returner. It is safe for concurrent use.
type Store struct {
	o  Options
	db driver.UniversalClient

	closing   atomic.Bool
	closeOnce sync.Once
	closeErr  error
}

var (
	_ returners.Returner = (*Store)(nil)
	_ returners.Shared   = (*Store)(nil)
)

// Open checks the options. It does not connect: a server that is down does not prevent the
// start.
func Open(_ context.Context, o Options) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, fmt.Errorf("redis returner: %w", err)
	}
	db, err := o.connect()
	if err != nil {
		return nil, fmt.Errorf("redis returner: %w", err)
	}
	return &Store{o: o, db: db}, nil
}

// Name is "redis".
func (s *Store) Name() string { return Name }

// Ping connects to the server.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	return s.fault("ping", s.db.Ping(ctx).Err())
}

func (s *Store) open() error {
	if s.closing.Load() {
		return fmt.Errorf("redis %s: %w", s.o.where(), returners.ErrClosed)
	}
	return nil
}

// Close closes the connections. It may be called more than once.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.closing.Store(true)
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}

// pipe sends the commands that fill adds in one round trip. A command that finds no value has
// not failed.
func (s *Store) pipe(ctx context.Context, doing string, fill func(driver.Pipeliner)) error {
	if err := s.open(); err != nil {
		return err
	}
	p := s.db.Pipeline()
	if fill(p); p.Len() == 0 {
		return nil
	}
	cmds, err := p.Exec(ctx)
	if f := s.faultOf(doing, cmds); f != nil {
		return f
	}
	if errors.Is(err, driver.Nil) {
		return nil
	}
	//mutant:redis-no-connection-is-a-failure
	return s.fault(doing, err) // without a connection the commands have no errors of their own
}

// at returns the time of a record, now if it has none.
func (s *Store) at(t time.Time) time.Time {
	if t.IsZero() {
		return s.o.Now()
	}
	return t
}

// expire adds commands that renew the life of keys, unless they live for ever.
func (s *Store) expire(ctx context.Context, p driver.Pipeliner, keys ...string) {
	if s.o.Keep <= 0 {
		return
	}
	for _, k := range keys {
		p.Expire(ctx, k, time.Duration(seconds(s.o.Keep))*time.Second)
	}
}
