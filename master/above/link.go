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
	// ErrTop says that there is no master above: this is a top.
	ErrTop = errors.New("there is no master above this one")
	// ErrAway is wrapped when no master above could be asked; the same question may be
	// answered later.
	ErrAway = errors.New("no master above answers")
)

// Asker carries requests to the master above. Errors of a connection wrap [ErrAway] or are
// taken for that.
type Asker interface {
	// Ask sends a load and gives the value of the answer, undecoded. It ends with ctx.
	Ask(ctx context.Context, load *value.Map) (wire.Raw, error)
}

// Link is the way up. The zero Link leads nowhere; all methods may be called concurrently.
type Link struct{ to atomic.Pointer[Asker] }

// Connect says who carries requests from now on.
func (l *Link) Connect(a Asker) { l.to.Store(&a) }

// Connected tells whether there is a master above.
func (l *Link) Connected() bool { return l != nil && l.to.Load() != nil }

// Ask sends a load to the master above and gives its answer, undecoded. The error wraps
// [ErrTop] or [ErrAway]; that the master above refused shows in its answer alone, which is
// Salt's for the command.
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

// Call is [Link.Ask] with the answer decoded.
func (l *Link) Call(ctx context.Context, load *value.Map) (any, error) {
	raw, err := l.Ask(ctx, load)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the answer of the master above to %s: %w", load.String("cmd"), err)
	}
	return v, nil
}
