package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/momtree/mom/internal/wire"
)

// Returns iterates over the stored returns of a job, in the order of minion ids, and waits for
// no others. It reads a page at a time. It needs a mom master that keeps results (job_cache)
// and still has the account of the job; otherwise it yields one error, a [*Refused] or
// [ErrNotReported]. An error for an unreadable return does not end the sequence.
func (c *Client) Returns(ctx context.Context, jid string) iter.Seq2[Return, error] {
	return func(yield func(Return, error) bool) {
		for s := (&sweep{}); !s.end; {
			s.page = s.page[:0]
			if err := c.nextPage(ctx, jid, s); err != nil {
				yield(Return{}, fmt.Errorf("returns of job %s: %w", jid, err))
				return
			}
			for _, full := range s.page {
				ret, err := wire.ParseReturn(full)
				if err != nil {
					err = fmt.Errorf("stored return of job %s: %w", jid, err)
				}
				if !yield(*readReturn(ret), err) {
					return
				}
			}
		}
	}
}
