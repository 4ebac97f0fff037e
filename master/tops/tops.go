package tops

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
)

// Top returns the states of a minion by environment.
type Top interface {
	States(ctx context.Context, id string) (map[string][]string, error)
}

// makers maps the names in master_tops to functions that parse their values.
var makers = map[string]func(config any) (Top, error){"ext_nodes": newExtNodes}

const (
	// atOnce limits the concurrent requests: each runs a command.
	atOnce = 8
	// within limits the time of one source.
	within = 30 * time.Second
)

// Tops holds the sources of one master. It is safe for concurrent use.
type Tops struct {
	names  []string
	tops   map[string]Top
	turns  admission.Turns
	shares *admission.Shares // of minions
	log    *slog.Logger
}

// New parses the option master_tops. The error names unsupported sources.
func New(option map[string]any, b bounds.Bounds, log *slog.Logger) (*Tops, error) {
	b = b.OrDefault()
	t := &Tops{names: slices.Sorted(maps.Keys(option)), tops: map[string]Top{}, turns: admission.NewTurns(atOnce), shares: admission.NewShares(b.Share, b.ShareWaiting), log: log}
	t.names = slices.DeleteFunc(t.names, func(name string) bool {
		if makers[name] != nil {
			return false
		}
		log.Error("unknown source in master_tops; minions get no states from it", "source", name,
			"hint", "use ext_nodes with a command that prints the states of a minion")
		return true
	})
	for _, name := range t.names {
		top, err := makers[name](option[name])
		if err != nil {
			return nil, fmt.Errorf("master_tops: %s: %w", name, err)
		}
		t.tops[name] = top
	}
	return t, nil
}

// States merges the results of all sources for a minion: {environment: [state]}. A source that
// fails is logged and skipped, as in Salt.
func (t *Tops) States(ctx context.Context, id string) *wire.Map {
	out := wire.NewMap()
	for _, name := range t.names {
		of, err := t.ask(ctx, name, id)
		if err != nil {
			t.log.Error("master_tops source failed, its states are left out", "minion", id, "source", name, "err", err)
			continue
		}
		for _, env := range slices.Sorted(maps.Keys(of)) {
			out.Set(env, append(append([]any{}, out.List(env)...), wire.AnyList(of[env])...))
		}
	}
	return out
}

func (t *Tops) ask(ctx context.Context, name, id string) (map[string][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	//mutant:tops-one-minion
	give, err := t.shares.Take(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("wait for its other queries: %w", err)
	}
	defer give()
	select {
	case t.turns <- struct{}{}:
		defer t.turns.Give()
	case <-ctx.Done():
		return nil, fmt.Errorf("too many queries at once: %w", ctx.Err())
	}
	return t.tops[name].States(ctx, id)
}
