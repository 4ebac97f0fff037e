package mine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Options configure a [Service]. Only Bounds, Rules and Nodegroups are optional.
type Options struct {
	Ctx      context.Context //nolint:containedctx // ends when the master begins to close
	Cachedir string
	// Entries are the entries of this master's minions.
	Entries *Entries
	// Keep stores entries. Without it they are dropped, as in Salt without minion_data_cache and
	// enforce_mine_cache.
	Keep bool
	// Depth limits the nesting of an entry.
	Depth int
	// Bounds contains the share of one minion in queries to the rest of the tree.
	Bounds bounds.Bounds
	// Rules is the option mine_get, which may be nil. Start matches functions as Salt does.
	Rules      map[string]any
	Start      bool
	Nodegroups map[string]any

	// Minions returns the accepted ids of this master, including nodes: a minion may use the key of
	// a node on the same machine.
	Minions func() []string
	// Accepted reports whether an id has an accepted key.
	Accepted func(id string) bool
	// Subject returns the cached data of a minion of this master.
	Subject func(id string) target.Subject
	// Where returns the minions of a place in the tree.
	Where func(letter, pattern string) ([]string, error)
	// Data asks the nodes below.
	Data func(ctx context.Context, q below.DataQuestion) (below.Data, error)
	// Above asks the parent.
	Above interface {
		Connected() bool
		Ask(ctx context.Context, load *wire.Map) (wire.Raw, error)
	}
	// Below returns the last report of a node directly below.
	Below func(id string) (topology.Node, bool)
	// Owns reports whether a node directly below speaks for a minion.
	Owns func(node, id string) bool
	// Trespassed is called when a peer exceeds its rights.
	Trespassed func(ownership.Trespass)
	Log        *slog.Logger
	Now        func() time.Time
}

// Service is the mine of one master. It is safe for concurrent use.
type Service struct {
	o     Options
	store *Store // of o.Entries
	rules rules

	flight     singleflight.Group
	shares     *admission.Shares // of each minion in queries to the rest of the tree
	remembered *remembered
	warned     logs.Throttle[string]
}

// New returns a Service.
func New(o Options) *Service {
	b := o.Bounds.OrDefault()
	return &Service{
		o: o, shares: admission.NewShares(b.Share, b.ShareWaiting), store: o.Entries.store, rules: readRules(o.Rules, o.Start, o.Log),
		remembered: newRemembered(o.Cachedir, o.Log),
	}
}

// answerBytes limits an answer, in bytes.
const answerBytes = 32 << 20

// errMuch is returned for an answer beyond that limit.
var errMuch = errors.New("the mine entries exceed 32 MiB; select fewer minions or functions")

// answer collects results by name and minion.
type answer struct {
	found map[string]map[string]wire.Raw
	bytes int
}

func (a *answer) add(name, id string, v wire.Raw) error {
	byID := a.found[name]
	if byID == nil {
		byID = map[string]wire.Raw{}
		a.found[name] = byID
	}
	if _, ok := byID[id]; ok {
		return nil // the nearest one wins
	}
	byID[id] = v
	if a.bytes += len(v) + len(id); a.bytes > answerBytes {
		return errMuch
	}
	return nil
}

// load returns the answer in Salt's form.
func (a *answer) load(q Question) *wire.Map {
	out := wire.NewMap()
	for _, name := range slices.Sorted(maps.Keys(a.found)) {
		byID := wire.NewMap()
		for _, id := range slices.Sorted(maps.Keys(a.found[name])) {
			byID.Set(id, a.found[name][id])
		}
		if !q.Several {
			return byID
		}
		out.Set(name, byID)
	}
	return out
}

// Get answers a query of a minion of this master. The rules of mine_get limit what the minion may
// query, the target selects minions of the whole tree, and allow_tgt limits the entries.
func (s *Service) Get(ctx context.Context, asker string, q Question) (*wire.Map, error) {
	q.Names = slices.DeleteFunc(slices.Clone(q.Names), func(fun string) bool {
		refused := !s.rules.allow(asker, fun)
		if refused {
			s.o.Trespassed(ownership.Trespass{Kind: ownership.OfMine, Path: asker, ID: asker, Err: fmt.Errorf("it may not read %q (option mine_get)", shown(fun))})
		}
		return refused
	})
	if len(q.Names) == 0 {
		return wire.NewMap(), nil
	}
	q, err := q.settled(s.o.Nodegroups, s.o.Where)
	if err != nil {
		return nil, err
	}
	a := &answer{found: map[string]map[string]wire.Raw{}}
	me := s.o.Subject(asker)
	if err := s.own(q, me, a); err != nil {
		return nil, err
	}
	others, err := s.elsewhere(ctx, q, asker, "")
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		for _, name := range q.Names {
			if raw, ok := o.entries[name]; ok {
				if err := s.show(a, o.id, name, raw, me, nil); err != nil {
					return nil, err
				}
			}
		}
	}
	return a.load(q), nil
}

// own adds entries of this master's minions.
func (s *Service) own(q Question, me target.Subject, a *answer) error {
	expr, err := target.Parse(q.Tgt, q.TgtType, target.Options{})
	if err != nil {
		return fmt.Errorf("target %s: %w", shown(q.Tgt), err)
	}
	ids, few := target.Among(expr)
	if few {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !s.o.Accepted(id) })
	} else {
		ids = s.o.Minions()
	}
	for _, id := range ids {
		if !expr.Match(s.o.Subject(id)) {
			continue
		}
		m, err := s.store.Get(id)
		if err != nil {
			return err
		}
		for _, name := range q.Names {
			if raw, ok := m.Entry(name); ok {
				if err := s.show(a, id, name, raw, me, s.o.Nodegroups); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// show adds an entry if the asker may see it. Unknown data of the asker grants no access.
func (s *Service) show(a *answer, id, name string, raw wire.Raw, me target.Subject, groups map[string]any) error {
	e, err := readEntry(raw)
	if err == nil && e.held {
		var to target.Expr
		//mutant:mine-allow-tgt
		if to, err = e.allowed(groups); err == nil && !to.Match(me) {
			return nil
		}
	}
	if err != nil {
		s.o.Entries.hide(id, name, err)
		return nil
	}
	return a.add(name, id, e.value)
}
