package postgres

import (
	"context"
	"time"
)

const (
	// noteEvery is how often a job's row in mom_jobs is updated while it gets rows. Old
	// jobs may be cleaned that much earlier.
	noteEvery = 10 * time.Second
	// mostNoted bounds the jobs whose last update is remembered.
	mostNoted = 4096
)

// note updates mom_jobs for the jobs of rows that are about to be stored.
func (s *Store) note(ctx context.Context, rows []keyed) error {
	now := time.Now() // process clock: used for intervals only
	var jids []string
	fresh := map[string]bool{}
	s.mu.Lock()
	for i := range rows {
		id := rows[i].jid
		if at, ok := s.noted[id]; !fresh[id] && (!ok || now.Sub(at) >= noteEvery) {
			fresh[id] = true
			jids = append(jids, id)
		}
	}
	s.mu.Unlock()
	if err := s.save(ctx, jobsTable, named(jids)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.noted)+len(jids) > mostNoted {
		clear(s.noted)
	}
	for _, id := range jids {
		s.noted[id] = now
	}
	return nil
}

// Hold resets the age of jobs, by the database's clock.
func (s *Store) Hold(ctx context.Context, jids []string) error {
	return s.save(ctx, heldTable, named(jids))
}

func named(jids []string) []keyed {
	rows := make([]keyed, len(jids))
	for i, id := range jids {
		rows[i] = keyed{jid: id, row: row{[]any{id}, len(id)}}
	}
	return rows
}
