package batches

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// maxDriven is the maximum number of batches driven at a time.
const maxDriven = 256

// Options configures a [Service]. All fields are required.
type Options struct {
	Ctx context.Context //nolint:containedctx // ends when the master begins to close
	// Cachedir holds the files of batches. HashType is Salt's hash_type.
	Cachedir, HashType string
	// Keep means that old job directories are cleaned up elsewhere. Otherwise the state of a batch
	// is removed at its end.
	Keep bool
	Bus  *bus.Bus
	// Me identifies this master, across restarts, among those that share the cachedir.
	Me string

	// Publish publishes the job of a batch to some minions and returns its id. A state without an
	// id starts the job. On an error that wraps [ErrNotNow] the slice is retried, on [ErrNobody]
	// its minions are given up, and any other error halts the batch.
	Publish func(ctx context.Context, s *batchstate.State, ids []string) (jid string, err error)
	// Kill stops the job on minions.
	Kill func(ctx context.Context, jid string, ids []string) error
	// Published returns the minions that the stored job names.
	Published func(ctx context.Context, jid string) ([]string, error)
	// Returned returns the return code of a minion.
	Returned func(ctx context.Context, jid, id string) (code int, ok bool, err error)
	// Account returns the missing minions of a job, and whether it is open.
	Account func(jid string) (gone map[string]jobevent.Absence, open bool)

	Fire func(tag string, data *wire.Map)
	Log  *slog.Logger
	Now  func() time.Time
}

var (
	// ErrNotNow is wrapped when a slice cannot be published at the moment.
	ErrNotNow = errors.New("slice cannot be published now")
	// ErrNobody is wrapped when no minion of a slice is known.
	ErrNobody = errors.New("no minion of the slice is known")
	// ErrBusy is returned when maxDriven batches are running.
	ErrBusy = fmt.Errorf("%d batches are running at this master; wait for one to end, or stop one with salt-run batch.stop", maxDriven)
)

// Service drives batches. It is safe for concurrent use.
type Service struct {
	o     Options
	files *files
	work  sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	driven map[string]*batch
	others map[string]seen // batches of other masters
	places int             // in use by running and starting batches
	closed bool
}

// New returns a Service. [Service.Run] resumes batches of a previous run.
func New(o Options) *Service {
	return &Service{o: o, files: &files{dir: o.Cachedir, hash: o.HashType}, driven: map[string]*batch{}, others: map[string]seen{}}
}

// Close waits until no batch is driven. Cancel Options.Ctx first.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait()
}

// Active lists the jobs whose batches are in progress.
func (s *Service) Active() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.driven))
	for id := range s.driven {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Status returns the result of batch.status, or nil if the batch is unknown.
func (s *Service) Status(jid string) (*wire.Map, error) {
	if b := s.of(jid); b != nil {
		return b.summary(), nil
	}
	st, err := s.files.read(jid)
	if st == nil || err != nil {
		return nil, err
	}
	return st.Summary(s.o.Now()), nil
}

// ListActive returns the result of batch.list_active: the batches in progress, including those that
// a command of Salt 3008 drives.
func (s *Service) ListActive() ([]*wire.Map, error) {
	listed, err := s.files.active()
	if err != nil {
		return nil, err
	}
	ids := append(listed, s.Active()...)
	slices.Sort(ids)
	var out []*wire.Map
	for _, id := range slices.Compact(ids) {
		m, err := s.Status(id)
		if err != nil {
			s.o.Log.Warn("batch not listed", "jid", id, "err", err)
		}
		if m != nil {
			out = append(out, m)
		}
	}
	return out, nil
}

// Stop halts a batch: no further minion starts. Those running the job continue unless kill ends
// their jobs. It returns false if the batch does not exist or is over.
func (s *Service) Stop(ctx context.Context, jid string, kill bool) (bool, error) {
	st := s.snapshot(jid)
	if st == nil {
		var err error
		if st, err = s.files.read(jid); st == nil || err != nil {
			return false, err
		}
	}
	if st.Over() {
		return false, nil
	}
	if err := s.mayStop(jid, st); err != nil {
		return false, err
	}
	var killed error
	if ids := sortedKeys(st.Active); kill && len(ids) > 0 {
		if killed = s.o.Kill(ctx, jid, ids); killed != nil {
			killed = fmt.Errorf("batch %s is stopped, but the job of its minions is not: %w", jid, killed)
		}
	}
	return true, errors.Join(s.stop(jid, batchstate.ReasonStop), killed)
}

// mayStop returns an error if another master drives the batch.
func (s *Service) mayStop(jid string, st *batchstate.State) error {
	if st.Driver != batchstate.DriverMaster || s.of(jid) != nil {
		return nil
	}
	o, err := s.files.owner(jid)
	if err == nil && o != nil && !o.is(s.o.Me) && !s.gone(jid, o.content) {
		err = fmt.Errorf("stop batch %s: master %s drives it; stop it there", jid, o)
	}
	return err
}

// stop halts a batch, whoever drives it.
func (s *Service) stop(jid, reason string) error {
	if b := s.of(jid); b != nil {
		b.halt(reason)
		return nil
	}
	st, err := s.files.read(jid)
	if st == nil || err != nil {
		return err
	}
	if st.Over() {
		return s.files.enlist(jid, false)
	}
	if st.Driver == batchstate.DriverMaster {
		if err := s.mayStop(jid, st); err != nil {
			return err
		}
	}
	st.Halt(reason)
	st.LastProgress = batchstate.Unix(s.o.Now())
	s.o.Fire(st.EndEvent(s.o.Now())) // the command that drives it waits for this event
	return errors.Join(s.files.write(st), s.files.enlist(jid, false))
}

func (s *Service) of(jid string) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.driven[jid]
}

// snapshot returns a copy of the state of a driven batch, or nil if it is not driven.
func (s *Service) snapshot(jid string) *batchstate.State {
	b := s.of(jid)
	if b == nil {
		return nil
	}
	return b.snapshot()
}

// place reserves one of maxDriven slots; the caller releases it with free.
func (s *Service) place() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.o.Ctx.Err() != nil {
		return fmt.Errorf("%w: the master is shutting down", ErrNotNow)
	}
	if s.places >= maxDriven {
		return ErrBusy
	}
	s.places++
	return nil
}

func (s *Service) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places--
}

// drive starts driving a batch that has a slot, and fires the event of a new one. It returns false
// if the batch is driven already.
func (s *Service) drive(st *batchstate.State, l *lease, fresh bool) bool {
	b := &batch{s: s, core: Core{State: st}, st: st, lease: l, fresh: fresh, stopped: make(chan string, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driven[st.JID] != nil || s.closed {
		return false
	}
	s.driven[st.JID] = b
	delete(s.others, st.JID)
	b.sub = b.listen()
	s.work.Go(func() {
		b.run(s.o.Ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.driven, st.JID)
		s.places--
	})
	return true
}
