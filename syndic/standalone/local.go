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
	"github.com/momtree/mom/internal/age"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/topology"
)

// Options of a [Local].
type Options struct {
	// ID is the id of the node in the tree.
	ID string
	// Master says where the master takes publications, and who publishes there.
	Master client.Options
	// Bus says where the event sockets of the master are.
	Bus bus.ClientConfig
	// Store is the file of the embedded store; it is made when missing.
	Store string
	// Nodes tells that the master has syndics of its own (order_masters): then it
	// does not know all who have to answer a job.
	Nodes bool
	// Keep is how long jobs are kept in the store; 0 keeps them for ever. What is
	// still owed stays longer.
	Keep time.Duration
	Log  *slog.Logger     // nil: slog.Default
	Now  func() time.Time // nil: time.Now
}

// Local is such a master as the forwarder sees it. It is safe for concurrent use.
type Local struct {
	o     Options
	store *sqlite.Store
	pub   *client.Client
	ages  *age.Clock
	bus   *bus.Bus
	tree  *topology.Tree
	jobs  *jobs
	grown chan struct{}
	rows  chan returners.Batch
}

var _ local.Master = (*Local)(nil)

// rowQueue is how many returns may wait for the store; each is at most
// max_event_size long. When it is full the bus is not read, and the master decides
// what becomes of a slow reader.
const rowQueue = 256

// Open opens the store. It does not connect to the master yet.
func Open(ctx context.Context, o Options) (*Local, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var ages *age.Clock
	store, err := sqlite.Open(ctx, sqlite.Options{Path: o.Store, Log: o.Log, Now: o.Now, Age: func() time.Time { return ages.Now() }})
	if err != nil {
		return nil, fmt.Errorf("open the forwarder's store: %w", err)
	}
	newest, err := store.Newest(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the forwarder's store: %w", err), store.Close())
	}
	ages = age.Open(age.Options{File: o.Store + ".age", Newest: newest, Wall: o.Now, Log: o.Log})
	return &Local{
		o: o, store: store, pub: client.New(o.Master), ages: ages, bus: bus.New(o.Now), tree: topology.NewTree(topology.Node{ID: o.ID, Role: "syndic", Blind: true}, o.Now),
		jobs: newJobs(!o.Nodes), grown: make(chan struct{}, 1), rows: make(chan returners.Batch, rowQueue),
	}, nil
}

// Bus carries the master's events.
func (l *Local) Bus() *bus.Bus { return l.bus }

// Outbox holds the returns that were seen and are not handed up yet.
func (l *Local) Outbox() returners.SharedOutbox { return l.store }

// Jobs reads the loads of jobs as their events told them, and notes about jobs.
func (l *Local) Jobs() local.Jobs { return l.store }

// Grown delivers a value when the outbox may have grown.
func (l *Local) Grown() <-chan struct{} { return l.grown }

// Tree holds the node alone: the master's keys are not known here, and the masters
// above are told so, lest they take it for a node without minions.
func (l *Local) Tree() *topology.Tree { return l.tree }

// Answer refuses: the master beside this forwarder answers no questions of ours.
func (l *Local) Answer(_ context.Context, what string, _ wire.Raw) (any, error) {
	return nil, fmt.Errorf("the question %q cannot be answered: this node is a forwarder beside a Python master", what)
}

// OpenJobs lists the jobs that are not complete, those behind one, at most n.
func (l *Local) OpenJobs(after string, n int) []string {
	jids := slices.DeleteFunc(l.jobs.jids(), func(jid string) bool { return jid <= after })
	slices.Sort(jids)
	return jids[:min(n, len(jids))]
}

// Word knows none: jobs that are closed are told no more.
func (l *Local) Word(string) (word uint64, closed bool) { return 0, false }

// Story gives who has to answer a job that is not complete.
func (l *Local) Story(jid string, n int) iter.Seq[bus.Event] { return l.jobs.story(jid, n) }

// Told has nothing to end: jobs that are closed are told no more.
func (l *Local) Told(string, uint64) {}

// Run reads the master's bus until ctx ends, connecting again whenever the master
// was restarted.
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
			_ = sleep.For(ctx, wait)
		}
	}
	wg.Wait()
	return nil
}

const (
	retryMin = 50 * time.Millisecond
	retryMax = 5 * time.Second
)

// Close closes the store and the connection to the master. Call it after Run has ended.
func (l *Local) Close() error {
	l.bus.Close()
	return errors.Join(l.pub.Close(), l.store.Close())
}

// read carries one connection's events over until it ends.
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

// sayWithin bounds Say: the master is on this host.
const sayWithin = 2 * time.Second

// Say fires an event on the master's bus, over a connection of its own.
func (l *Local) Say(ctx context.Context, tag string, d *wire.Map) (err error) {
	ctx, cancel := context.WithTimeout(ctx, sayWithin)
	defer cancel()
	c, err := bus.Dial(ctx, l.o.Bus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Fire(ctx, tag, d)
}

// take puts returns and loads on their way into the store, and everything on the
// bus of this process.
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
		return nil // the forwarder does not take returns from the bus
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
	// Here a copy of a lower node's event is told by its name alone.
	return l.bus.FireEvent(bus.Event{Tag: e.Tag, Data: e.Data, Stamp: e.Stamp, Copy: strings.HasPrefix(e.Tag, "syndic/")})
}

func (l *Local) returned(jid, id string, e bus.Event) (returners.Batch, error) {
	ret, err := wire.ParseReturn(e.Data)
	if err != nil {
		return returners.Batch{}, err
	}
	if ret.JID != jid || ret.ID != id {
		return returners.Batch{}, fmt.Errorf("it is the return of job %q by %q", ret.JID, ret.ID)
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
