package above

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

var (
	// ErrTop is returned by a top, which has no master above.
	ErrTop = errors.New("no master above")
	// ErrAway is wrapped when no master above could be reached. A retry may succeed.
	ErrAway = errors.New("master above unreachable")
)

// Asker sends requests to the master above. Every error counts as a connection error.
type Asker interface {
	// Ask sends a load and returns the undecoded answer. It blocks until ctx ends.
	Ask(ctx context.Context, load *value.Map) (wire.Raw, error)
}

// Link is the connection to the master above. The zero Link is unconnected. It is safe for
// concurrent use.
type Link struct{ to atomic.Pointer[Asker] }

// Connect sets the Asker for further requests.
func (l *Link) Connect(a Asker) { l.to.Store(&a) }

// Connected reports whether there is a master above.
func (l *Link) Connected() bool { return l != nil && l.to.Load() != nil }

// Ask sends a load to the master above and returns the undecoded answer. The error wraps [ErrTop]
// or [ErrAway]. A refusal of the master above is in the answer, in Salt's form for the command.
func (l *Link) Ask(ctx context.Context, load *value.Map) (wire.Raw, error) {
	cmd := load.String("cmd")
	if !l.Connected() {
		return nil, fmt.Errorf("%s: %w", cmd, ErrTop)
	}
	v, err := (*l.to.Load()).Ask(ctx, load)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", cmd, ErrAway, err)
	}
	return v, nil
}

// Call is [Link.Ask] with a decoded answer.
func (l *Link) Call(ctx context.Context, load *value.Map) (any, error) {
	raw, err := l.Ask(ctx, load)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("decode answer of the master above to %s: %w", load.String("cmd"), err)
	}
	return v, nil
}
