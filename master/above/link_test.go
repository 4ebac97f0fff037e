package above

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

type parent struct{ err error }

func (p parent) Ask(_ context.Context, load *value.Map) (wire.Raw, error) {
	if p.err != nil {
		return nil, p.err
	}
	return wire.Encode("heard " + load.String("cmd"))
}

// TestLink: a top returns ErrTop, an unreachable parent ErrAway, and an answer is returned
// unchanged.
func TestLink(t *testing.T) {
	var l Link
	load := value.NewMap("cmd", "_file_envs")
	if _, err := l.Ask(t.Context(), load); !errors.Is(err, ErrTop) || l.Connected() {
		t.Errorf("a top: %v", err)
	}
	l.Connect(parent{err: errors.New("connection refused")})
	if _, err := l.Call(t.Context(), load); !errors.Is(err, ErrAway) || errors.Is(err, ErrTop) {
		t.Errorf("a parent that is away: %v", err)
	}
	l.Connect(parent{})
	if v, err := l.Call(t.Context(), load); err != nil || v != "heard _file_envs" {
		t.Errorf("%v, %v", v, err)
	}
}
