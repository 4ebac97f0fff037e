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

// Options of a [Service]. None may be left out but Bounds, Rules and Nodegroups.
type Options struct {
	Ctx      context.Context //nolint:containedctx // ends when the master begins to close
	Cachedir string
	// Entries are those of the minions of this master.
	Entries *Entries
	// Keep says that what minions give is stored; otherwise it is dropped, as Salt does
	// without minion_data_cache and enforce_mine_cache.
	Keep bool
	// Depth is how deep an entry may nest.
	Depth int
	// Bounds has the share of one minion in questions to the rest of the tree.
	Bounds bounds.Bounds
	// Rules is the option mine_get, nil without one; Start reads its functions as Salt does.
	Rules      map[string]any
	Start      bool
	Nodegroups map[string]any

	// Minions lists the accepted ids of this master; those of nodes too, for a minion may
	// stand beside one under its key.
	Minions func() []string
	// Accepted tells whether an id has an accepted key.
	Accepted func(id string) bool
	// Subject is what is known of a minion of this master.
	Subject func(id string) target.Subject
	// Where gives the minions of a place in the tree.
	Where func(letter, pattern string) ([]string, error)
	// Data asks the nodes below.
	Data func(ctx context.Context, q below.DataQuestion) (below.Data, error)
	// Above asks the master above.
	Above interface {
		Connected() bool
		Ask(ctx context.Context, load *wire.Map) (wire.Raw, error)
	}
	// Below is what a node right below has reported.
	Below func(id string) (topology.Node, bool)
	// Owns tells whether a node right below speaks for a minion.
	Owns func(node, id string) bool
	// Trespassed is told of what a peer may not do.
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
	shares     *admission.Shares // of minions, in questions to the rest of the tree
	remembered *remembered
	told       logs.Throttle[string]
}

// New makes one.
func New(o Options) *Service {
	b := o.Bounds.OrDefault()
	return &Service{
		o: o, shares: admission.NewShares(b.Share, b.ShareWaiting), store: o.Entries.store, rules: readRules(o.Rules, o.Start, o.Log),
		remembered: newRemembered(o.Cachedir, o.Log),
	}
}

// answerBytes bounds an answer.
const answerBytes = 32 << 20

// errMuch means that an answer is larger than it may be.
var errMuch = errors.New("what these minions have in the mine is more than 32 MiB: name fewer minions or functions")

// answer is what was found, by name and minion.
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
		return nil // the nearest counts
	}
	byID[id] = v
	if a.bytes += len(v) + len(id); a.bytes > answerBytes {
		return errMuch
	}
	return nil
}

// load is the answer in Salt's form.
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

// Get answers a minion of this master: what the rules of mine_get let it ask for, of the
// minions that the target means in the whole tree, of that what each lets it see.
func (s *Service) Get(ctx context.Context, asker string, q Question) (*wire.Map, error) {
	q.Names = slices.DeleteFunc(slices.Clone(q.Names), func(fun string) bool {
		refused := !s.rules.allow(asker, fun)
		if refused {
			s.o.Trespassed(ownership.Trespass{Kind: ownership.OfMine, Path: asker, ID: asker, Err: fmt.Errorf("it may not ask for %q (option mine_get)", shown(fun))})
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

// own adds what minions of this master have.
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

// show adds an entry that the asker may see. What is not known of the asker allows nothing.
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
