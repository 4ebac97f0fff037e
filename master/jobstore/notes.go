package jobstore

import (
	"context"

	"github.com/momtree/mom/returners"
)

// Notes reads notes of one kind; see [returners.NoteReader].
func (s *Store) Notes(ctx context.Context, kind string, after returners.Note, limit int) ([]returners.Note, error) {
	return s.o.Local.Notes(ctx, kind, after, limit)
}

// NotesOf reads the notes of one kind about a job.
func (s *Store) NotesOf(ctx context.Context, kind, jid string) ([]returners.Note, error) {
	return s.o.Local.NotesOf(ctx, kind, jid)
}
