package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// sweep reads the stored returns of a job, page by page.
type sweep struct {
	after    string     // last minion id read
	page     []wire.Raw // returns read but not delivered yet
	end      bool       // there are no more pages
	complete *Account   // set if the job was complete before the first page was read
}

// resume subscribes again after the bus was lost, then reads the missed returns. The order
// matters: nothing falls in between.
func (f *Following) resume(ctx context.Context) error {
	b, err := f.c.dispatcher.listen(ctx)
	if err != nil {
		return err
	}
	b.bind(f.JID)
	if err := f.listen(b); err != nil {
		return err
	}
	s := &sweep{}
	if err := f.c.nextPage(ctx, f.JID, s); err != nil {
		return fmt.Errorf("read missed returns: %w", err)
	}
	f.c.o.Log.Debug("earlier returns read from the job cache", "jid", f.JID)
	//mutant:missed-returns-are-read
	f.sweep = s
	return nil
}

// missed returns the next stored return that was not delivered yet. At the end it returns the
// account if the job is complete, or false: later updates come from the bus.
func (f *Following) missed(ctx context.Context) (Update, bool, error) {
	s := f.sweep
	for {
		for len(s.page) > 0 {
			full := s.page[0]
			s.page = s.page[1:]
			u, ok, err := f.read(jobevent.KindReturn, "", full)
			if err != nil {
				return Update{}, false, fmt.Errorf("stored return of job %s: %w", f.JID, err)
			}
			if ok {
				return u, true, nil
			}
		}
		//mutant:end-after-the-returns
		if s.end {
			f.sweep = nil
			return Update{Complete: s.complete}, s.complete != nil, nil
		}
		if err := f.c.nextPage(ctx, f.JID, s); err != nil {
			return Update{}, false, fmt.Errorf("read missed returns of job %s: %w", f.JID, err)
		}
	}
}

// nextPage reads a page of the job cache.
func (c *Client) nextPage(ctx context.Context, jid string, s *sweep) error {
	d, err := c.send(ctx, wire.NewMap("cmd", "job_page", "jid", jid, "after", s.after))
	if err != nil {
		return err
	}
	if !d.Has("returns") {
		return fmt.Errorf("%w: its answer has no returns", ErrNotReported)
	}
	if done := d.Map("complete"); done != nil {
		raw, err := wire.Encode(done)
		if err != nil {
			return err
		}
		c, err := jobevent.DecodeComplete(jid, raw)
		if err != nil {
			return err
		}
		s.complete = readAccount(c)
	}
	for _, v := range d.List("returns") {
		switch full := v.(type) { // bytes that are valid text decode as text
		case []byte:
			s.page = append(s.page, full)
		case string:
			s.page = append(s.page, wire.Raw(full))
		default:
			return fmt.Errorf("stored return is %T, not bytes", v)
		}
	}
	s.after, s.end = d.String("last"), !d.Bool("more")
	return nil
}
