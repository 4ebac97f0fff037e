package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// holding lists the kinds of notes that hold their job, in SQL.
var holding = "('" + strings.Join(returners.HoldingNotes, "', '") + "')"

// notHeld is an SQL condition for jobs that no note holds.
//
//mutant:noted-jobs-are-held
var notHeld = "NOT EXISTS (SELECT 1 FROM notes n WHERE n.kind IN " + holding + " AND n.jid = jids.jid)"

// notes stores notes in their order.
func (w *writer) notes(ctx context.Context, notes []returners.Note) error {
	for i := range notes {
		n := &notes[i]
		st, args := w.st.note, []any{n.Kind, n.JID, n.Key, n.Value}
		switch {
		case n.Gone:
			st, args = w.st.unnote, args[:3]
		case n.Value == nil:
			args[3] = []byte{}
		}
		if _, err := w.exec(ctx, st, args...); err != nil {
			return fmt.Errorf("note %s of job %s: %w", n.Kind, n.JID, err)
		}
	}
	return nil
}

// Notes reads notes of one kind in the order of jid and key.
func (s *Store) Notes(ctx context.Context, kind string, after returners.Note, limit int) (notes []returners.Note, err error) {
	err = s.query(ctx, "read notes of kind "+kind, sqlread.Append(&notes, scanNote),
		"SELECT kind, jid, key, value FROM notes WHERE kind = ? AND (jid, key) > (?, ?) ORDER BY jid, key LIMIT ?", kind, after.JID, after.Key, limit)
	return notes, err
}

// NotesOf reads the notes of one kind about a job.
func (s *Store) NotesOf(ctx context.Context, kind, jid string) (notes []returners.Note, err error) {
	err = s.query(ctx, "read the notes of job "+jid, sqlread.Append(&notes, scanNote),
		"SELECT kind, jid, key, value FROM notes WHERE kind = ? AND jid = ? ORDER BY key", kind, jid)
	return notes, err
}

func scanNote(scan sqlread.Scan) (n returners.Note, err error) {
	err = scan(&n.Kind, &n.JID, &n.Key, &n.Value)
	return n, err
}
