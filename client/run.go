package client

import (
	"context"
	"errors"
)

// Outcome is a job that was run to its end.
type Outcome struct {
	Published
	// Returns are those that have come, by minion id.
	Returns map[string]Return
	// Account is how the job ended; nil if it was not waited for that long.
	Account *Account
}

// Run publishes a job and waits for its end. All returns are held in memory; where there
// may be many large ones, follow the job with [Client.Follow] instead. When ctx ends
// before the job, or the bus is lost, the Outcome has what came until then. Errors are
// those of Follow and of [Following.Next].
func (c *Client) Run(ctx context.Context, j Job) (Outcome, error) { return RunBy(ctx, c, j) }

// Follower starts jobs and tells what comes of them: a [Client], or what stands for one.
type Follower interface {
	Follow(ctx context.Context, j Job) (*Following, error)
}

// RunBy is [Client.Run] by whatever starts jobs.
func RunBy(ctx context.Context, by Follower, j Job) (o Outcome, err error) {
	f, err := by.Follow(ctx, j)
	o = Outcome{Published: f.Published, Returns: map[string]Return{}}
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for u, err := range f.Updates(ctx) {
		switch {
		case err != nil:
			return o, err
		case u.Return != nil:
			o.Returns[u.Return.ID] = *u.Return
		case u.Complete != nil:
			o.Account = u.Complete
		}
	}
	return o, nil
}
