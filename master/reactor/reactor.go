package reactor

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// User is the user in events of the runners and wheel functions of reactions. Such events start no
// reaction.
const User = "Reactor"

// Waiting limits the events waiting for the reactor.
const Waiting = 10_000

// deadline limits the time to render the reactions to one event and queue them.
const deadline = time.Minute

// Engine renders SLS files.
type Engine interface {
	SLS(ctx context.Context, t render.Template, pipe string) (any, error)
}

// Doers carry out reactions. The functions return once the work is done or started, or an error.
type Doers struct {
	// Job publishes a job and returns its minions. It does not wait for them.
	Job func(ctx context.Context, j Job) (minions []string, err error)
	// Runner and Wheel make a call and wait for it.
	Runner, Wheel func(ctx context.Context, c Call) error
	// Caller runs an execution function of this machine. nil: unsupported.
	Caller func(ctx context.Context, c Call) error
}

// Options configure a [Reactor].
type Options struct {
	Table  *Table
	Causes *Causes
	// Threads and Waiting are reactor_worker_threads and reactor_worker_hwm.
	Threads, Waiting int
	// Bytes limits the bytes of waiting events; 0 means the bound reactor_bytes.
	Bytes int

	Bus    *bus.Bus
	Engine Engine
	// Renderer is the default pipe of files; "" means jinja|yaml.
	Renderer string
	// Files reads salt:// paths of the environment base. nil: no file server.
	Files render.Loader
	// Vars are variables of templates, in addition to tag and data; may be nil.
	Vars *value.Map
	Do   Doers
	// Leads reports whether this master reacts now: another top of its cluster may do so. nil: always.
	Leads func() bool
	// JID returns the id of a new job or call.
	JID func() string
	// Key reports whether a key is that of the master's user. nil: no key is.
	Key func(key string) bool
	ID  string // of the master
	Log *slog.Logger
	Now func() time.Time
}

// Reactor reacts to the events of one bus.
type Reactor struct {
	o      Options
	pool   *pool
	events atomic.Uint64 // events with reactions
	done   atomic.Uint64 // started reactions
	failed atomic.Uint64 // events and reactions
	cut    atomic.Uint64 // loops
	missed atomic.Uint64 // events dropped because the queue was full
	warned logs.Throttle[string]
	wg     sync.WaitGroup
}

// New returns a Reactor that [Reactor.Run] starts.
func New(o Options) *Reactor {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Renderer == "" {
		o.Renderer = "jinja|yaml"
	}
	o.Bytes = cmp.Or(o.Bytes, bounds.Default().ReactorBytes)
	if o.Leads == nil {
		o.Leads = func() bool { return true }
	}
	if o.Key == nil {
		o.Key = func(string) bool { return false }
	}
	return &Reactor{o: o, pool: newPool(o.Threads, o.Waiting)}
}

// Run reacts to events until ctx ends, then waits for the reactions in progress.
func (r *Reactor) Run(ctx context.Context) {
	sub := r.o.Bus.Subscribe(bus.SubscribeOptions{
		Size: Waiting, Bytes: r.o.Bytes, DropWhenFull: true, Match: func(e bus.Event) bool { return r.o.Table.wants(e.Tag) || isManage(e.Tag) },
	})
	defer sub.Close()
	r.pool.run(ctx, &r.wg)
	defer r.wg.Wait()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	dropped := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.o.Table.reload()
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			r.take(ctx, e)
			sub.Took(e)
		}
		if n := sub.Dropped(); n > dropped {
			r.missed.Add(n - dropped)
			dropped = n
			r.logThrottled("events", "events dropped by the reactor: too many at once", "waiting", Waiting, "bytes", r.o.Bytes)
		}
	}
}

// logThrottled logs a recurring error at intervals.
func (r *Reactor) logThrottled(what, message string, args ...any) {
	if n := r.warned.Note(what, r.o.Now()); n > 0 {
		r.o.Log.Error(message, append(args, "times", n)...) //nolint:sloglint // constant in each caller
	}
}

// take handles one event.
func (r *Reactor) take(ctx context.Context, e bus.Event) {
	data, err := e.Map()
	if err != nil {
		r.failed.Add(1)
		r.logThrottled("data "+e.Tag, "event ignored by the reactor: unreadable data", "tag", e.Tag, "err", err)
		return
	}
	//mutant:reactor-own-events
	if data.String("user") == User {
		return // reactions start no reaction
	}
	data = data.Clone()
	if !data.Has("_stamp") {
		data.Set("_stamp", e.Stamp.UTC().Format("2006-01-02T15:04:05.000000"))
	}
	if isManage(e.Tag) {
		r.manage(e.Tag, data)
		return
	}
	slss := r.o.Table.slss(e.Tag)
	//mutant:leader-reacts
	if len(slss) == 0 || !r.o.Table.leads.Load() || !r.o.Leads() {
		return
	}
	r.events.Add(1)
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	why := r.o.Causes.of(e.Tag, data)
	slss = r.uncut(e.Tag, slss, why)
	lows, err := r.reactions(ctx, e.Tag, data, slss)
	if err != nil {
		r.failed.Add(1)
		r.o.Log.Error("reactions not rendered", "tag", e.Tag, "err", err)
		return
	}
	for _, low := range lows {
		if ctx.Err() != nil {
			r.failed.Add(1)
			r.o.Log.Error("reactions dropped: event took too long", "tag", e.Tag, "next", low.id(), "limit", deadline)
			return
		}
		r.react(ctx, low, why)
	}
}

// uncut drops the files whose reactions have triggered themselves too often.
func (r *Reactor) uncut(tag string, slss []string, why chain) (out []string) {
	for _, sls := range slss {
		//mutant:reactor-loop-is-cut
		if n := why.rounds(sls); n < maxRounds && len(why) < maxChain {
			out = append(out, sls)
			continue
		}
		r.cut.Add(1)
		if n := r.warned.Note("loop "+sls, r.o.Now()); n > 0 {
			r.o.Log.Error("reaction not started: it leads to itself", "sls", sls, "by", strings.Join(why.distinct(), " and "), "tag", tag, "rounds", len(why), "times", n,
				"hint", "test the event before the reaction, or use a narrower tag")
			r.o.Table.fire("salt/reactors/loop", value.NewMap("tag", tag, "reactor", sls, "chain", texts(why), "user", User))
		}
	}
	return out
}

func texts(of []string) []any {
	out := make([]any, len(of))
	for i, s := range of {
		out[i] = s
	}
	return out
}

// Counts holds the counters of a reactor since its start.
type Counts struct {
	Events  uint64 // events with reactions
	Begun   uint64 // reactions
	Failed  uint64 // rendering errors, and reactions that could not start or failed
	Cut     uint64 // loops
	Dropped uint64 // reactions dropped because the queue was full
	Missed  uint64 // events dropped because the queue was full
	Waiting int    // reactions, now
}

// Counts returns the counters.
func (r *Reactor) Counts() Counts {
	return Counts{
		Events: r.events.Load(), Begun: r.done.Load(), Failed: r.failed.Load(), Cut: r.cut.Load(), Dropped: r.pool.dropped.Load(),
		Missed: r.missed.Load(), Waiting: r.pool.waiting(),
	}
}
