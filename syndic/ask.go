package syndic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// askPatience bounds how long one master above has for the answer to a question of the
// local master. It is longer than that for returns: a parent that serves a crowd lets
// requests for files wait for their turn.
const askPatience = time.Minute

// awayPatience is for a master above whose connection is down: it may have come back this
// moment, and somebody waits who could be told that it has not.
const awayPatience = 2 * time.Second

// errNoParent says that no master above is connected.
var errNoParent = errors.New("no master above is connected")

// Ask sends a load of the local master to a master above, as this node, and gives the
// answer, undecoded. The masters above are asked in the order of syndic_failover; the
// next one when one cannot answer, those that are connected first.
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
		v, err := l.ask(ctx, load, askPatience)
		if err == nil || ctx.Err() != nil {
			return v, err
		}
		faults = append(faults, err)
	}
	for _, l := range away {
		if _, signedIn := l.ch.Current(); !signedIn { // it is being signed in at, for which nobody should wait
			faults = append(faults, fmt.Errorf("%s: %w", l.name, errNoParent))
			continue
		}
		v, err := l.ask(ctx, load, awayPatience)
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
