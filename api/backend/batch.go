package backend

import (
	"context"
	"errors"

	"github.com/momtree/mom/client"
)

// runBatch runs a job in batches to its end.
func runBatch(ctx context.Context, by client.Follower, j client.Job, o client.Batch, took func(client.Return)) (_ client.Account, err error) {
	b, err := client.BatchBy(ctx, by, j, o)
	if b != nil {
		defer func() { err = errors.Join(err, b.Close()) }()
	}
	if err != nil {
		return client.Account{}, err
	}
	for {
		u, err := b.Next(ctx)
		switch {
		case err != nil:
			return client.Account{}, err
		case u.Ended != nil:
			return *u.Ended, nil
		case u.Return != nil:
			took(*u.Return)
		}
	}
}
