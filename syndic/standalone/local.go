package standalone

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/topology"
)

// Options configure a [Local].
type Options struct {
	// ID is the id of the node in the tree.
	ID string
	// Master is the master's publish address and login.
	Master client.Options
	// Bus locates the master's event sockets.
	Bus bus.ClientConfig
	// Store is the file of the embedded store. It is created if missing.
	Store string
	// Nodes means that the master has syndics of its own (order_masters), so its expectations are
	// incomplete.
	Nodes bool
	// Keep is how long jobs stay in the store; 0: forever. Jobs with pending returns stay longer.
	Keep time.Duration
	Log  *slog.Logger     // nil: slog.Default
	Now  func() time.Time // nil: time.Now
}

// Local is the [local.Master] for another program's master. It is safe for concurrent use.
type Local struct {
	o     Options
	store *sqlite.Store
	pub   *client.Client
	ages  *timing.Clock
	bus   *bus.Bus
	tree  *topology.Tree
	jobs  *jobs
	grown chan struct{}
	rows  chan returners.Batch
}

var _ local.Master = (*Local)(nil)

// rowQueue bounds the returns waiting for a commit, of at most max_event_size each. When it is full
// the bus is not read, and the master handles a slow reader.
const rowQueue = 256

// Open opens the store. It does not connect to the master.
func Open(ctx context.Context, o Options) (*Local, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var ages *timing.Clock
	store, err := sqlite.Open(ctx, sqlite.Options{Path: o.Store, Log: o.Log, Now: o.Now, Ages: func(newest time.Time) func() time.Time {
		ages = timing.Open(timing.Options{File: o.Store + ".age", Newest: newest, Wall: o.Now, Log: o.Log})
		return ages.Now
	}})
	if err != nil {
		return nil, fmt.Errorf("open forwarder's store: %w", err)
	}
	return &Local{
		o: o, store: store, pub: client.New(o.Master), ages: ages, bus: bus.New(o.Now), tree: topology.NewTree(topology.Node{ID: o.ID, Role: "syndic", Blind: true}, o.Now),
		jobs: newJobs(!o.Nodes), grown: make(chan struct{}, 1), rows: make(chan returners.Batch, rowQueue),
	}, nil
}

// Bus returns a bus with the master's events.
func (l *Local) Bus() *bus.Bus { return l.bus }

// Outbox holds the returns that no parent has acknowledged.
func (l *Local) Outbox() returners.SharedOutbox { return l.store }

// Jobs reads loads and notes of jobs.
func (l *Local) Jobs() local.Jobs { return l.store }

// Grown receives a value when the outbox may have grown.
func (l *Local) Grown() <-chan struct{} { return l.grown }

// Tree returns a tree of this node alone, marked as blind: the master's minions are not known here.
func (l *Local) Tree() *topology.Tree { return l.tree }

// Answer returns an error: the master beside answers no questions.
func (l *Local) Answer(_ context.Context, what string, _ wire.Raw) (any, error) {
	return nil, fmt.Errorf("answer question %q: not supported by a forwarder beside a Python master", what)
}

// OpenJobs lists at most n incomplete jobs with a jid after the given one.
func (l *Local) OpenJobs(after string, n int) []string {
	jids := slices.DeleteFunc(l.jobs.jids(), func(jid string) bool { return jid <= after })
	slices.Sort(jids)
	return jids[:min(n, len(jids))]
}

// LastReport returns false: closed jobs are not reported again.
func (l *Local) LastReport(string) (word uint64, closed bool) { return 0, false }

// Reports returns the expectation of an incomplete job.
func (l *Local) Reports(jid string, n int) iter.Seq[bus.Event] { return l.jobs.reports(jid, n) }

// Reported does nothing: closed jobs are not reported again.
func (l *Local) Reported(string, uint64) {}

// Run reads the master's bus until ctx ends, and reconnects when the master restarts.
func (l *Local) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { l.write(ctx) })
	wg.Go(func() { l.clean(ctx) })
	lost := false
	for wait := retryMin; ctx.Err() == nil; wait = min(2*wait, retryMax) {
		c, err := bus.Dial(ctx, l.o.Bus)
		if err == nil {
			wait = retryMin
			if lost {
				l.o.Log.Info("event bus of the master reconnected")
			}
			err = l.read(ctx, c)
			lost = true
		}
		if ctx.Err() == nil {
			l.o.Log.Warn("event bus of the master lost", "path", l.o.Bus.SockDir, "err", err, "retry_in", wait)
			_ = timing.Sleep(ctx, wait)
		}
	}
	wg.Wait()
	return nil
}

const (
	retryMin = 50 * time.Millisecond
	retryMax = 5 * time.Second
)

// Close closes the store and the connection to the master. Call it after Run has returned.
func (l *Local) Close() error {
	l.bus.Close()
	return errors.Join(l.pub.Close(), l.store.Close())
}

// read processes the events of one connection until it ends.
func (l *Local) read(ctx context.Context, c *bus.Client) (err error) {
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		e, err := c.Next(ctx)
		if err != nil {
			return err
		}
		if err := l.take(ctx, e); err != nil {
			l.o.Log.Warn("invalid event from the master", "tag", e.Tag, "err", err)
		}
	}
}

// fireTimeout bounds Fire: the master is on this host.
const fireTimeout = 2 * time.Second

// Fire fires an event on the master's bus, over a separate connection.
func (l *Local) Fire(ctx context.Context, tag string, d *wire.Map) (err error) {
	ctx, cancel := context.WithTimeout(ctx, fireTimeout)
	defer cancel()
	c, err := bus.Dial(ctx, l.o.Bus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Fire(ctx, tag, d)
}

// take queues returns and loads for the store, and fires all other events on the bus of this
// process.
func (l *Local) take(ctx context.Context, e bus.Event) error {
	job, kind, id, _ := jobevent.Parse(e.Tag)
	if !jid.Valid(job) {
		kind = jobevent.KindOther
	}
	switch kind {
	case jobevent.KindReturn:
		b, err := l.returned(job, id, e)
		if err != nil {
			return err
		}
		select {
		case l.rows <- b:
		case <-ctx.Done():
		}
		return nil // returns go through the outbox, not the bus
	case jobevent.KindNew:
		n, err := jobevent.DecodeNew(job, e.Data)
		if err != nil {
			return err
		}
		load, err := loadOf(n)
		if err != nil {
			return err
		}
		select {
		case l.rows <- returners.Batch{Loads: []returners.Load{{JID: job, Raw: load, At: e.Stamp}}}:
		case <-ctx.Done():
		}
		if x, fresh := l.jobs.learn(n, e.Stamp); fresh {
			tag, data := x.Encode()
			if err := l.bus.FireEvent(bus.Event{Tag: tag, Data: data, Value: x, Stamp: e.Stamp}); err != nil {
				return err
			}
		}
	case jobevent.KindExpectation:
		var err error
		if e.Data, err = l.jobs.expect(job, e); err != nil {
			return err
		}
	}
	// A copy of a lower node's event is known by its tag only.
	return l.bus.FireEvent(bus.Event{Tag: e.Tag, Data: e.Data, Stamp: e.Stamp, Copy: strings.HasPrefix(e.Tag, "syndic/")})
}

func (l *Local) returned(jid, id string, e bus.Event) (returners.Batch, error) {
	ret, err := wire.ParseReturn(e.Data)
	if err != nil {
		return returners.Batch{}, err
	}
	if ret.JID != jid || ret.ID != id {
		return returners.Batch{}, fmt.Errorf("tag does not match: return of job %q by %q", ret.JID, ret.ID)
	}
	success := ret.Success
	if !ret.HasSuccess {
		success = ret.Retcode == 0
	}
	return returners.Batch{
		Returns: []returners.Return{{
			JID: jid, ID: id, Fun: ret.FunName(), Success: success, Retcode: ret.Retcode, Out: ret.Out,
			Value: ret.Value, Full: ret.Full, MasterID: ret.MasterID, At: e.Stamp,
		}},
		Outbox: []returners.Item{{Dest: returners.DestAbove, Kind: returners.KindReturn, JID: jid, ID: id}},
	}, nil
}
