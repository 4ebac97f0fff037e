package origins

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Books reads what a node has stored of its jobs.
type Books interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
	GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
}

// Stranger tells of a job that no master above has asked this node for, whether it came
// with minions or nodes at work on it, from where somebody had been asked: nobody
// published it here, and it is no call of a minion of its own (salt-call, a schedule),
// whose load is its return. via is the node below that the return came through, "" for
// none.
func Stranger(ctx context.Context, b Books, jid, via string) (bool, error) {
	load, loaded, err := b.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("whose job %s is: %w", jid, err)
	}
	if !loaded {
		return true, nil
	}
	if isReturn(load.Raw) {
		return false, nil
	}
	xs, err := b.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("whose job %s is: %w", jid, err)
	}
	if returners.Given(true, xs...) {
		return false, nil
	}
	for _, x := range xs {
		if x.Node == "" { // it was adopted
			return true, nil
		}
	}
	return via != "", nil // its load came from below
}

var errIsReturn = errors.New("it is a return")

func isReturn(load wire.Raw) bool {
	err := wire.Fields(load, func(key string, _ wire.Raw) error {
		if key == "return" {
			return errIsReturn
		}
		return nil
	})
	return errors.Is(err, errIsReturn)
}
