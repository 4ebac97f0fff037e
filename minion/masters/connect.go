package masters

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/minion/session"
)

// Connect signs in to the first master that accepts, in master_tries rounds.
func (m *Masters) Connect(ctx context.Context) (*session.Session, error) {
	masters := m.List()
	if len(masters) == 0 {
		return nil, errors.New("no master is configured: set the option master, or use --local")
	}
	for round := 1; ; round++ {
		var errs []error
		for _, name := range masters {
			s, err := m.Sessions.Open(name, nil, session.Options{})
			if err != nil {
				return nil, err
			}
			if _, err = s.Channel().Attempt(ctx); err == nil {
				err = s.RefreshPillar(ctx, false)
			}
			if err == nil {
				return s, nil
			}
			_ = s.Channel().Close()
			errs = append(errs, err)
		}
		if round == m.Options.MasterTries || ctx.Err() != nil {
			return nil, errors.Join(errs...)
		}
		m.Log.Error("no master available", "round", round, "err", errors.Join(errs...))
		if err := timing.Sleep(ctx, m.Options.AcceptanceWaitTime); err != nil {
			return nil, errors.Join(errs...)
		}
	}
}
