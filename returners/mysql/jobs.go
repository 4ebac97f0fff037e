package mysql

import (
	"context"
	"time"
)

const (
	// noteEvery is how often mom_jobs is told anew that a job gets rows. Old jobs
	// may so go that much earlier.
	noteEvery = 10 * time.Second
	// mostNoted bounds the jobs of which it is remembered when that was.
	mostNoted = 4096
)

// note tells mom_jobs, before they are stored, of which jobs there are rows.
func (s *Store) note(ctx context.Context, rows []keyed) error {
	now := time.Now() // of this process alone: how long ago, not when
	var told []string
	fresh := map[string]bool{}
	s.mu.Lock()
	for i := range rows {
		id := rows[i].jid
		if at, ok := s.noted[id]; !fresh[id] && (!ok || now.Sub(at) >= noteEvery) {
			fresh[id] = true
			told = append(told, id)
		}
	}
	s.mu.Unlock()
	if err := s.save(ctx, jobsTable, named(told)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.noted)+len(told) > mostNoted {
		clear(s.noted)
	}
	for _, id := range told {
		s.noted[id] = now
	}
	return nil
}

// Hold lets the age of jobs begin anew, by the database's clock.
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
