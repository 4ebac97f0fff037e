package returners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/momtree/mom/internal/logs"
)

// Defaults of DrainConfig.
const (
	DefaultDrainRows     = 500
	DefaultDrainBytes    = 8 << 20
	DefaultDrainTimeout  = 60 * time.Second
	DefaultDrainIdle     = time.Second
	DefaultDrainMin      = 500 * time.Millisecond
	DefaultDrainMax      = 30 * time.Second
	DefaultDrainAttempts = 8
)

// DrainConfig tunes a Drain; zero values mean the defaults.
type DrainConfig struct {
	Dest       string // outbox destination; "" = DestMySQL
	BatchRows  int
	BatchBytes int // payload bytes of a batch; a larger row is sent alone

	// BackoffMin and BackoffMax bound the pause after a failure. It doubles each time and
	// is randomized, so that nodes do not reconnect to a database in step.
	BackoffMin time.Duration
	BackoffMax time.Duration

	Timeout time.Duration // for storing one batch
	Idle    time.Duration // how long to wait for a Wake before checking for rows

	// Attempts is how often a failure of unknown kind is retried before the drain searches
	// the batch for a bad row. An unreachable database is retried forever.
	Attempts int

	// Rescue counts rows that a look without a Wake has found. nil: they are not
	// counted.
	Rescue *logs.Rescues

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

func (c *DrainConfig) fill() {
	if c.Dest == "" {
		c.Dest = DestMySQL
	}
	setDefault(&c.BatchRows, DefaultDrainRows)
	setDefault(&c.BatchBytes, DefaultDrainBytes)
	setDefault(&c.BackoffMin, DefaultDrainMin)
	setDefault(&c.BackoffMax, DefaultDrainMax)
	setDefault(&c.Timeout, DefaultDrainTimeout)
	setDefault(&c.Idle, DefaultDrainIdle)
	setDefault(&c.Attempts, DefaultDrainAttempts)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

// Sink is what a [Drain] writes to, such as a [Returner].
type Sink interface {
	SaveReturns(ctx context.Context, rets []Return) error
	SaveLoads(ctx context.Context, loads []Load) error
	SaveExpectations(ctx context.Context, exps []Expectation) error
	SaveEvents(ctx context.Context, events []Event) error
	Ping(ctx context.Context) error
}

// EventSink returns a Sink that passes events to e and rejects all other rows.
func EventSink(e EventSaver) Sink { return eventSink{e} }

type eventSink struct{ EventSaver }

func (eventSink) SaveReturns(context.Context, []Return) error           { return errEventsOnly }
func (eventSink) SaveLoads(context.Context, []Load) error               { return errEventsOnly }
func (eventSink) SaveExpectations(context.Context, []Expectation) error { return errEventsOnly }

var errEventsOnly = fmt.Errorf("it keeps events only: %w", ErrRejected)

// Drain moves outbox rows of one destination into a Sink: the write-behind of a
// database. A row leaves the outbox after the returner stored it. A row that the returner
// rejects permanently is set aside with the reason (OutboxReject); the drain continues with
// the rest.
type Drain struct {
	from Outbox
	to   Sink
	cfg  DrainConfig
	wake chan struct{}

	failures int                  // consecutive failures of unknown kind
	grown    map[string]time.Time // jobs that grow: when their load was last stored
	rest     time.Duration        // until when a load rests; 0: no load rests

	mu    sync.Mutex
	stats DrainStats
}

// NewDrain returns a Drain that moves rows from an outbox to a sink. Run starts it.
func NewDrain(from Outbox, to Sink, cfg DrainConfig) *Drain {
	cfg.fill()
	return &Drain{from: from, to: to, cfg: cfg, wake: make(chan struct{}, 1), grown: map[string]time.Time{}}
}

// Wake signals that there may be new rows. It never blocks.
func (d *Drain) Wake() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run drains until ctx ends, then returns nil. Undelivered rows stay in the outbox.
func (d *Drain) Run(ctx context.Context) error {
	pause := d.cfg.BackoffMin
	for ctx.Err() == nil {
		n, err := d.Step(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			if n > 0 { // slow, not away
				pause = d.cfg.BackoffMin
			}
			wait := pause/2 + rand.N(pause/2+1)
			d.failed(err, wait)
			sleep(ctx, wait, nil)
			pause = min(pause*2, d.cfg.BackoffMax)
		default:
			pause = d.cfg.BackoffMin
			switch {
			case n > 0:
			case d.rest > 0:
				sleep(ctx, min(d.rest, d.cfg.Idle), d.wake)
			case !sleep(ctx, d.cfg.Idle, d.wake):
				d.look(ctx)
			}
		}
	}
	return nil
}

// wakeLag is the longest expected delay between the commit of a row and its Wake.
const wakeLag = 100 * time.Millisecond

// look counts rows committed without a Wake. The next step delivers them, but some caller
// forgot to call Wake.
func (d *Drain) look(ctx context.Context) {
	rows, err := d.from.OutboxRead(ctx, d.cfg.Dest, 0, 1, 1)
	if err != nil || len(rows) == 0 || sleep(ctx, wakeLag, d.wake) || ctx.Err() != nil {
		return // the next step reports the error
	}
	d.cfg.Rescue.Found("drain poll", "rows for "+d.cfg.Dest, d.cfg.Idle, "jid", rows[0].JID)
}

// sleep waits for d or until it is woken.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
		return true
	case <-ctx.Done():
	}
	return false
}

// Step moves one batch and returns how many rows left the outbox.
func (d *Drain) Step(ctx context.Context) (int, error) {
	items, err := d.from.OutboxRead(ctx, d.cfg.Dest, 0, d.cfg.BatchRows, d.cfg.BatchBytes)
	if err != nil {
		return 0, fmt.Errorf("read the outbox for %s: %w", d.cfg.Dest, err)
	}
	d.rest = 0
	loads, moved, err := d.newest(ctx, ofKind(items, KindLoad))
	if err != nil {
		return 0, err
	}
	// Loads come before the rows that refer to them: readers of the database never see a
	// return of a job they do not know.
	for _, kind := range []Kind{KindLoad, KindExpectation, KindReturn, KindEvent} {
		these := loads
		if kind != KindLoad {
			these = ofKind(items, kind)
		}
		n, err := d.deliver(ctx, kind, these)
		if moved += n; err != nil {
			d.failures++
			return moved, err
		}
	}
	for i := range items {
		switch items[i].Kind {
		case KindLoad, KindExpectation, KindReturn, KindEvent:
		default:
			if err := d.reject(ctx, items[i], fmt.Errorf("kind %q is unknown: %w", items[i].Kind, ErrInvalid)); err != nil {
				return moved, err
			}
			moved++
		}
	}
	d.failures = 0
	return moved, nil
}

func ofKind(items []Item, kind Kind) []Item {
	var out []Item
	for i := range items {
		if items[i].Kind == kind {
			out = append(out, items[i])
		}
	}
	return out
}

// deliver stores rows of one kind and acknowledges them. When the returner rejects the
// batch for its content, deliver bisects it until it finds the bad row.
func (d *Drain) deliver(ctx context.Context, kind Kind, items []Item) (int, error) {
	if len(items) == 0 {
		return 0, nil
	}
	err := d.save(ctx, kind, items)
	if err == nil {
		seqs := make([]int64, len(items))
		for i := range items {
			seqs[i] = items[i].Seq
		}
		if err := d.from.OutboxAck(ctx, d.cfg.Dest, seqs); err != nil {
			return 0, fmt.Errorf("acknowledge rows for %s: %w", d.cfg.Dest, err)
		}
		d.delivered(kind, len(items), true)
		d.storedLoads(items)
		return len(items), nil
	}
	//mutant:rows-stored-in-part
	if rows := (*RowsError)(nil); errors.As(err, &rows) && len(rows.Rows) == len(items) {
		return d.partly(ctx, kind, items, rows)
	}
	if ctx.Err() != nil || !d.rowAtFault(ctx, err) {
		return 0, err
	}
	if len(items) == 1 {
		if err := d.reject(ctx, items[0], err); err != nil {
			return 0, err
		}
		return 1, nil
	}
	half := len(items) / 2
	n, err := d.deliver(ctx, kind, items[:half])
	if err != nil {
		return n, err
	}
	m, err := d.deliver(ctx, kind, items[half:])
	return n + m, err
}

// partly acknowledges the stored rows of a batch and sets the rejected ones aside. It returns the
// error of those that have to be sent again.
func (d *Drain) partly(ctx context.Context, kind Kind, items []Item, outcome *RowsError) (n int, again error) {
	var stored []int64
	for i, err := range outcome.Rows {
		switch {
		case err == nil:
			stored = append(stored, items[i].Seq)
		case !permanent(err):
			again = outcome
		}
	}
	if len(stored) > 0 {
		if err := d.from.OutboxAck(ctx, d.cfg.Dest, stored); err != nil {
			return 0, fmt.Errorf("acknowledge rows for %s: %w", d.cfg.Dest, err)
		}
		d.delivered(kind, len(stored), again == nil)
	}
	n = len(stored)
	for i, err := range outcome.Rows {
		if err == nil || !permanent(err) {
			continue
		}
		if err := d.reject(ctx, items[i], err); err != nil {
			return n, err
		}
		n++
	}
	return n, again
}

// permanent reports whether an error of a row says that a retry will not help.
func permanent(err error) bool {
	return errors.Is(err, ErrRejected) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrNoEvents)
}

// rowAtFault reports whether a failure is caused by the rows and not by the database.
func (d *Drain) rowAtFault(ctx context.Context, err error) bool {
	switch {
	case permanent(err):
		return true
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed), errors.Is(err, ErrFull),
		errors.Is(err, ErrCorrupt), errors.Is(err, ErrNewerSchema), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return d.failures >= d.cfg.Attempts && d.to.Ping(ctx) == nil
}

func (d *Drain) save(ctx context.Context, kind Kind, items []Item) error {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.Timeout)
	defer cancel()
	switch kind {
	case KindLoad:
		return saveAs(ctx, items, loadOf, d.to.SaveLoads)
	case KindExpectation:
		return saveAs(ctx, items, expectationOf, d.to.SaveExpectations)
	case KindReturn:
		return saveAs(ctx, items, returnOf, d.to.SaveReturns)
	default:
		return saveAs(ctx, items, eventOf, d.to.SaveEvents)
	}
}

func saveAs[T any](ctx context.Context, items []Item, of func(Item) (T, error), save func(context.Context, []T) error) error {
	rows := make([]T, 0, len(items))
	for i := range items {
		r, err := of(items[i])
		if err != nil {
			return fmt.Errorf("outbox row %d (%s of job %s): %w: %w", items[i].Seq, items[i].Kind, items[i].JID, ErrInvalid, err)
		}
		rows = append(rows, r)
	}
	return save(ctx, rows)
}

var errGone = errors.New("the row it refers to is gone")

func loadOf(it Item) (Load, error) {
	if it.Load == nil {
		return Load{}, errGone
	}
	return *it.Load, nil
}

func expectationOf(it Item) (Expectation, error) {
	if it.Expectation == nil {
		return Expectation{}, errGone
	}
	return *it.Expectation, nil
}

func returnOf(it Item) (Return, error) {
	if it.Return == nil {
		return Return{}, errGone
	}
	return *it.Return, nil
}

func eventOf(it Item) (Event, error) { return DecodeEvent(it.Payload) }

func (d *Drain) reject(ctx context.Context, it Item, cause error) error {
	if err := d.from.OutboxReject(ctx, d.cfg.Dest, it.Seq, cause.Error()); err != nil {
		return fmt.Errorf("set aside row %d for %s: %w", it.Seq, d.cfg.Dest, err)
	}
	d.rejected(it, cause)
	return nil
}
