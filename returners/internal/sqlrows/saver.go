package sqlrows

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
)

// Database is what a returner does by statements of its own.
type Database interface {
	// Prepare makes the tables ready.
	Prepare(ctx context.Context) error
	// Send stores one batch.
	Send(ctx context.Context, t *Table, rows []Row) error
	// ClearReasons sets the reason in mom_expected of minions of a job to NULL.
	ClearReasons(ctx context.Context, jid string, ids []string) error
	// Returned returns which of the minions have returned to a job.
	Returned(ctx context.Context, jid string, ids []string) ([]string, error)
}

// Absent holds the jobs with minions that were stored as missing, by jid.
type Absent = lru.Map[string, struct{}]

// NewAbsent returns an Absent that holds 4,096 jobs.
func NewAbsent() *Absent { return lru.New[string, struct{}](4096) }

// Config are the parts of a [Saver]. All but Once are required.
type Config struct {
	Database Database
	Tables   *Tables
	Form     *Form
	Writer   *Writer
	Absent   *Absent
	// Once: the database allows a statement to change a row only once.
	Once bool
}

// Saver stores records of jobs. It is safe for concurrent use.
type Saver struct {
	c       Config
	updates Updates // of mom_jobs
}

// NewSaver returns a Saver.
func NewSaver(c Config) *Saver { return &Saver{c: c} }

// SaveLoads stores loads. As in Salt, the first load of a job stays, until the job is extended.
func (s *Saver) SaveLoads(ctx context.Context, loads []returners.Load) error {
	rows, err := s.c.Form.Loads(loads)
	if err != nil {
		return err
	}
	if err := s.stored(ctx, rows); err != nil {
		return err
	}
	return s.save(ctx, s.c.Tables.Loads, rows)
}

// SaveReturns stores returns. The first one of a (jid, id) stays.
func (s *Saver) SaveReturns(ctx context.Context, rets []returners.Return) error {
	rows, err := s.c.Form.Returns(rets)
	if err != nil {
		return err
	}
	if err := s.stored(ctx, rows); err != nil {
		return err
	}
	if err := s.save(ctx, s.c.Tables.Returns, rows); err != nil {
		return err
	}
	for jid, ids := range ByJob(rows) {
		if !s.c.Absent.Contains(jid) {
			continue
		}
		if err := s.clearReasons(ctx, jid, ids); err != nil {
			return err
		}
	}
	return nil
}

// SaveExpectations stores one row per minion and one per node.
func (s *Saver) SaveExpectations(ctx context.Context, exps []returners.Expectation) error {
	nodes, minions, missing := s.c.Form.Expectations(exps)
	for i := range missing {
		s.c.Absent.Add(missing[i].JID, struct{}{})
	}
	if err := errors.Join(s.stored(ctx, nodes), s.stored(ctx, minions)); err != nil {
		return err
	}
	if err := s.save(ctx, s.c.Tables.Nodes, nodes); err != nil {
		return err
	}
	if err := s.save(ctx, s.c.Tables.Expected, minions); err != nil {
		return err
	}
	// Some may have been stored as missing after their returns.
	Sort(missing)
	for jid, ids := range ByJob(missing) {
		returned, err := s.c.Database.Returned(ctx, jid, ids)
		if err == nil {
			err = s.clearReasons(ctx, jid, returned)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SaveEvents stores events. The first one of a Key stays.
func (s *Saver) SaveEvents(ctx context.Context, events []returners.Event) error {
	rows, err := s.c.Form.Events(events)
	if err != nil {
		return err
	}
	return s.save(ctx, s.c.Tables.Events, rows)
}

// Hold resets the age of jobs, by the database's clock.
func (s *Saver) Hold(ctx context.Context, jids []string) error {
	return s.save(ctx, s.c.Tables.Held, named(jids))
}

// stored updates mom_jobs for the jobs of rows that are about to be stored.
func (s *Saver) stored(ctx context.Context, rows []Row) error {
	return s.updates.Do(rows, func(jids []string) error { return s.save(ctx, s.c.Tables.Stored, named(jids)) })
}

// save sorts rows and stores them.
func (s *Saver) save(ctx context.Context, t *Table, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := s.c.Database.Prepare(ctx); err != nil {
		return err
	}
	Sort(rows)
	parts := [][]Row{rows}
	if s.c.Once {
		parts = waves(t, rows)
	}
	for _, part := range parts {
		err := s.c.Writer.Write(ctx, part, t.Repeatable, func(ctx context.Context, rows []Row) error { return s.c.Database.Send(ctx, t, rows) })
		if err != nil {
			return err
		}
	}
	return nil
}

// clearReasons clears the reasons of minions that have returned.
func (s *Saver) clearReasons(ctx context.Context, jid string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.c.Writer.Retry(ctx, func() error { return s.c.Database.ClearReasons(ctx, jid, ids) })
}
