package pillar

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Renderer is the interface of [render.Engine]. It must load and call through the [render.Loader]
// and [render.Functions] of the compiler, with the context of its call.
type Renderer interface {
	SLS(ctx context.Context, t render.Template, pipe string) (any, error)
	Text(ctx context.Context, t render.Template) (string, error)
}

// Options configure a [Compiler].
type Options struct {
	Config *config.Master
	// Renderer returns an engine with the given loader and functions for templates.
	Renderer func(l render.Loader, f render.Functions) (Renderer, error)
	// Decrypter decrypts what decrypt_pillar names. nil decrypts nothing, which is an error if the
	// option is set.
	Decrypter render.Decrypter
	// Functions are for templates, in addition to those of this package; may be nil.
	Functions Callables
	Log       *slog.Logger
	Now       func() time.Time
}

// Callables are functions for templates.
type Callables interface {
	render.Functions
	render.Lister
}

// Compiler compiles pillars. It is safe for concurrent use.
type Compiler struct {
	cfg     *config.Master
	log     *slog.Logger
	now     func() time.Time
	roots   *Roots
	engine  Renderer
	gpg     render.Decrypter
	sources []source
	faults  []string // of the configuration; added to each pillar
	targets *targets
	shown   *value.Map // options visible to templates
	kept    *kept
	ttl     *timed                // nil without pillar_cache
	warned  logs.Throttle[string] // by minion: invalid requests

	shares  *admission.Shares   // of minions
	room    *semaphore.Weighted // limits concurrent compilations
	waiting chan struct{}       // that wait
}

const (
	// waitingMost limits the waiting requests; further ones are refused as busy.
	waitingMost = 32_768
	// fewest is the minimum number of concurrent compilations: some wait for programs and
	// databases.
	fewest = 4
	// deepest limits the nesting of pillar compilations.
	deepest = 3
)

// ErrBusy is returned if too many requests wait.
var ErrBusy = errors.New("too many minions wait for their pillar")

// New reads the configuration. Errors that should prevent the start are returned. Others are logged
// now and reported to minions in _errors.
func New(o Options) (*Compiler, error) {
	c := &Compiler{cfg: o.Config, log: o.Log, now: o.Now, gpg: o.Decrypter, targets: newTargets(o.Config.Nodegroups), kept: newKept()}
	if c.log == nil {
		c.log = slog.Default()
	}
	if c.now == nil {
		c.now = time.Now
	}
	folders, err := c.cfg.PillarFolders()
	if err != nil {
		return nil, fmt.Errorf("pillar: %w", err)
	}
	c.roots = &Roots{Disk: NewDisk(c.now), Folders: folders, Order: ordered(c.cfg.Ordered("pillar_roots"), folders)}
	c.shown, _ = wire.Normal(c.cfg.Shown()).(*value.Map)
	if c.engine, err = o.Renderer(loader{}, functions{o.Functions}); err != nil {
		return nil, fmt.Errorf("pillar: %w", err)
	}
	c.readSources()
	if c.cfg.PillarCache {
		if c.ttl, err = openTimed(c.cfg, c.now, c.log); err != nil {
			return nil, fmt.Errorf("pillar: %w", err)
		}
	}
	n := c.cfg.PillarWorkers
	if n == 0 {
		n = max(fewest, 2*runtime.GOMAXPROCS(0))
	}
	b := c.cfg.Bounds.OrDefault()
	c.shares = admission.NewShares(b.Share, b.ShareWaiting)
	c.room, c.waiting = semaphore.NewWeighted(int64(n)), make(chan struct{}, waitingMost)
	return c, nil
}

// ordered lists environments in the order of the configuration; others follow by name.
func ordered(written any, folders map[string][]string) []string {
	var out []string
	add := func(env string) {
		if folders[env] != nil && !slices.Contains(out, env) {
			out = append(out, env)
		}
	}
	if m, ok := written.(*value.Map); ok {
		for _, k := range m.Keys() {
			add(fmt.Sprint(k))
		}
	}
	for _, env := range slices.Sorted(maps.Keys(folders)) {
		add(env)
	}
	return out
}

// Compile returns the pillar of a minion. It blocks while too many others compile. The error is
// [ErrBusy] or that of ctx while waiting; all other errors are in the pillar under _errors.
func (c *Compiler) Compile(ctx context.Context, r Request) (*value.Map, error) {
	if err := r.proper(); err != nil {
		if n := c.warned.Note(r.ID, c.now()); n > 0 {
			c.log.Error("Pillar render error: "+err.Error(), "minion", r.ID, "times", n) //nolint:sloglint // Salt's text
		}
		return value.NewMap("_errors", []any{err.Error()}), nil
	}
	depth := 0
	if outer := passOf(ctx); outer != nil {
		// A template compiles another pillar. It holds a slot already; waiting for a second one
		// could deadlock.
		//mutant:pillar-within-each-other
		if depth = outer.depth + 1; depth > deepest {
			return nil, fmt.Errorf("pillar of %s: nested in %d others", r.ID, deepest)
		}
		ctx = context.WithValue(ctx, folderKey{}, nil)
	} else {
		done, err := c.turn(ctx, r)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	r = r.own()
	if r.Fresh {
		c.Forget(r.ID)
	}
	if p, ok := c.fromCache(r); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.PillarTimeout)
	defer cancel()
	asked := Copy(r.Grains).(*value.Map) // templates may modify those of the pass
	p := c.begin(r)
	p.depth = depth
	out := p.rescued(ctx)
	r.Grains = asked
	c.intoCache(r, p, out)
	return out, nil
}

// turn waits for a slot: among the requests of the minion, then among all. done releases it.
func (c *Compiler) turn(ctx context.Context, r Request) (done func(), err error) {
	give := func() {}
	//mutant:pillar-one-minion
	if !r.Passing { // otherwise an operator is looking
		give, err = c.shares.Take(ctx, r.ID)
		if errors.Is(err, admission.ErrShare) {
			return nil, ErrBusy
		}
		if err != nil {
			return nil, fmt.Errorf("wait for its other pillars: %w", err)
		}
	}
	select {
	case c.waiting <- struct{}{}:
	default:
		give()
		return nil, ErrBusy
	}
	err = c.room.Acquire(ctx, 1)
	<-c.waiting
	if err != nil {
		give()
		return nil, fmt.Errorf("wait for others' pillars: %w", err)
	}
	return func() { c.room.Release(1); give() }, nil
}

// rescued is run, except that a panic becomes an error and does not affect other minions.
func (p *pass) rescued(ctx context.Context) (out *value.Map) {
	defer func() {
		if f := recover(); f != nil {
			p.seen.unfit("a panic")
			p.log.Error("pillar compilation panicked", "panic", f, "stack", string(debug.Stack()))
			out = value.NewMap("_errors", []any{"The pillar could not be compiled: an error within the master. Please see master log for details."})
		}
	}()
	return p.run(inPass(ctx, p))
}

func (c *Compiler) late(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("The pillar was not compiled within %v (pillar_timeout)", c.cfg.PillarTimeout)
	}
	return "The pillar was not compiled: the master is shutting down"
}

// Top returns the merged top files for an unknown minion, with all targets, and their errors.
func (c *Compiler) Top(ctx context.Context, r Request) (*value.Map, []string) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.PillarTimeout)
	defer cancel()
	p := c.begin(r.own())
	top, faults := p.top(inPass(ctx, p))
	out := value.NewMap()
	for _, in := range top {
		targets := value.NewMap()
		for _, a := range in.list {
			var list []any
			if a.kind != "compound" {
				list = append(list, value.NewMap("match", a.kind))
			}
			for _, s := range a.sls {
				list = append(list, s)
			}
			targets.Set(a.target, list)
		}
		out.Set(in.env, targets)
	}
	return out, append(p.errors, faults...)
}

type passKey struct{}

// inPass returns a context with the pass, for functions that templates call.
func inPass(ctx context.Context, p *pass) context.Context {
	return context.WithValue(ctx, passKey{}, p)
}

func passOf(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}
