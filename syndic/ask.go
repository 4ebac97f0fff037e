package syndic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// askTimeout bounds the wait for one parent's answer to a question of the local master. It is
// longer than for returns: a busy parent queues requests for files.
const askTimeout = time.Minute

// awayTimeout bounds the wait for a parent that is disconnected. It may be reconnecting at this
// moment, but the caller should learn soon that no parent answers.
const awayTimeout = 2 * time.Second

// errNoParent means that no parent is connected.
var errNoParent = errors.New("no parent is connected")

// Ask sends a load of the local master to a parent, under this node's id, and returns the undecoded
// answer. It tries the parents in the order of syndic_failover, connected ones first, until one
// answers. If all fail, it returns their errors joined.
func (s *Syndic) Ask(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	load = load.Clone()
	load.Set("id", s.ID())
	var faults []error
	var away []*parent
	for _, l := range s.parents.all() {
		if !l.Available() {
			away = append(away, l)
			continue
		}
		v, err := l.ask(ctx, load, askTimeout)
		if err == nil || ctx.Err() != nil {
			return v, err
		}
		faults = append(faults, err)
	}
	for _, l := range away {
		if _, signedIn := l.ch.Current(); !signedIn { // signing in; not worth a wait
			faults = append(faults, fmt.Errorf("%s: %w", l.name, errNoParent))
			continue
		}
		v, err := l.ask(ctx, load, awayTimeout)
		if err == nil || ctx.Err() != nil {
			return v, err
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}

func (p *parent) ask(ctx context.Context, load *wire.Map, patience time.Duration) (wire.Raw, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := p.ch.Request(ctx, load)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return v, nil
}
