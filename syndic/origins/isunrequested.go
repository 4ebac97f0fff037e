package origins

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// JobReader reads what a node has stored of its jobs.
type JobReader interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
	GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
}

// IsUnrequested reports, for a job that no parent requested from this node, whether it arrived with
// minions or nodes that another master had asked. That is so unless the job was published here, or
// is a minion's own call (salt-call, a schedule), whose load is its return. via is the node below
// that sent the return, "" for none.
func IsUnrequested(ctx context.Context, b JobReader, jid, via string) (bool, error) {
	load, loaded, err := b.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("find origin of job %s: %w", jid, err)
	}
	if !loaded {
		return true, nil
	}
	if isReturn(load.Raw) {
		return false, nil
	}
	xs, err := b.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("find origin of job %s: %w", jid, err)
	}
	if returners.PublishedHere(true, xs...) {
		return false, nil
	}
	for _, x := range xs {
		if x.Node == "" { // adopted
			return true, nil
		}
	}
	return via != "", nil // its load came from below
}

var errIsReturn = errors.New("is a return")

func isReturn(load wire.Raw) bool {
	err := wire.Fields(load, func(key string, _ wire.Raw) error {
		if key == "return" {
			return errIsReturn
		}
		return nil
	})
	return errors.Is(err, errIsReturn)
}
