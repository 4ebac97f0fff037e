package masters

import (
	"context"
	"errors"
	"sync"

	"github.com/momtree/mom/minion/session"
)

// serveEach serves every master at the same time. It gives up one that rejects this minion for
// good and serves the others.
func (m *Masters) serveEach(ctx context.Context, masters []string) error {
	known := map[string]bool{}
	var sessions []*session.Session
	defer func() {
		for _, s := range sessions {
			_ = s.Channel().Close()
		}
	}()
	for _, name := range masters {
		box, err := m.outbox(name)
		if err != nil {
			return err
		}
		s, err := m.Sessions.Open(name, box, session.Options{})
		if err != nil {
			return err
		}
		sessions, known[name] = append(sessions, s), true
	}
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		m.Jobs.ReportInterrupted(s, known)
		wg.Go(func() {
			res, err := s.SignIn(ctx)
			if err != nil {
				if errs[i] = err; ctx.Err() == nil {
					m.Log.Error("master abandoned", "master", s.Name(), "err", err)
				}
				return
			}
			s.Serve(ctx, res)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
