package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// sweep is one way through the stored returns of a job, page by page.
type sweep struct {
	after    string     // the minion id up to which pages were read
	page     []wire.Raw // returns that were read and not given yet
	end      bool       // there are no more pages
	complete *Account   // the job was over before the first page was read
}

// resume begins to listen anew after the bus was lost, and then to read what was
// missed: in this order, so that nothing falls in between.
func (f *Following) resume(ctx context.Context) error {
	b, err := f.c.hears.listen(ctx)
	if err != nil {
		return err
	}
	b.bind(f.JID)
	if err := f.listen(b); err != nil {
		return err
	}
	s := &sweep{}
	if err := f.c.nextPage(ctx, f.JID, s); err != nil {
		return fmt.Errorf("what was missed cannot be had: %w", err)
	}
	f.c.o.Log.Debug("earlier returns read from the job cache", "jid", f.JID)
	//mutant:missed-returns-are-read
	f.sweep = s
	return nil
}

// missed gives the next return of the sweep that has not been given before; at its end
// the account, if the job was over, or false: the bus tells what comes now.
func (f *Following) missed(ctx context.Context) (Update, bool, error) {
	s := f.sweep
	for {
		for len(s.page) > 0 {
			full := s.page[0]
			s.page = s.page[1:]
			u, ok, err := f.read(jobevent.KindReturn, "", full)
			if err != nil {
				return Update{}, false, fmt.Errorf("a stored return of job %s: %w", f.JID, err)
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
			return Update{}, false, fmt.Errorf("what was missed of job %s cannot be had: %w", f.JID, err)
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
		return fmt.Errorf("%w: its answer has no returns", ErrNotTold)
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
		switch full := v.(type) { // bytes that happen to be text come as such
		case []byte:
			s.page = append(s.page, full)
		case string:
			s.page = append(s.page, wire.Raw(full))
		default:
			return fmt.Errorf("a return in it is %T, not bytes", v)
		}
	}
	s.after, s.end = d.String("last"), !d.Bool("more")
	return nil
}
