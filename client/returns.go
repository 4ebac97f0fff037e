package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/momtree/mom/internal/wire"
)

// Returns gives the returns of a job that are stored now, in the order of minion ids, and
// waits for none. It reads them a page at a time, as fast as they are taken. The master has
// to be one of ours, keep results (job_cache), and still have the account of the job; else
// there is one error, a [*Refused] or [ErrNotTold]. A return that cannot be read is an
// error in between.
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
					err = fmt.Errorf("a stored return of job %s: %w", jid, err)
				}
				if !yield(*readReturn(ret), err) {
					return
				}
			}
		}
	}
}
